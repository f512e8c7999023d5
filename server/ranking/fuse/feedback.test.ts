import { array, assert, integer, property } from "fast-check";
import { describe, expect, it } from "vitest";
import { gainsOfLikeness } from "./feedback.ts";

const settings = { space: "text", pages: 2, sharpness: 1, weight: 10 };
const vector = (...values: number[]) => Float32Array.from(values);

interface Page {
  readonly evidence: number;
  readonly vector?: Float32Array;
}

/** The gains by the names of the pages. */
function contributionsOf(given: Readonly<Record<string, Page>>, changed: Partial<typeof settings> = {}) {
  const pages = Object.values(given);
  const gains = gainsOfLikeness(
    { ...settings, ...changed },
    {
      evidence: Float64Array.from(pages, ({ evidence }) => evidence),
      order: [...pages.keys()].sort((one, other) => (pages[other]?.evidence ?? 0) - (pages[one]?.evidence ?? 0)),
      vectorOf: (place) => pages[place]?.vector,
    },
  );
  return new Map(gains && Object.keys(given).map((name, place) => [name, gains[place] ?? NaN]));
}

const dot = (one: number[], other: number[]) => one.reduce((sum, value, index) => sum + value * (other[index] ?? 0), 0);
const unit = (values: number[]) => {
  const length = Math.sqrt(dot(values, values));
  return values.map((value) => (length < 1e-6 ? 0 : value / length));
};
const sum = (parts: [number[], number][]) =>
  (parts[0]?.[0] ?? []).map((_, index) =>
    parts.reduce((total, [part, times]) => total + times * (part[index] ?? 0), 0),
  );

/** The definition in the comment of `gainsOfLikeness`, computed vector by vector. */
function writtenDown(pages: readonly Required<Page>[], { weight, sharpness, pages: counted }: typeof settings) {
  const directions = pages.map((page) => unit([...page.vector]));
  const common = sum(directions.map((direction) => [direction, 1 / pages.length]));
  const trust = Math.min(1, pages.length / 50);
  const own = directions.map((direction) =>
    unit(
      sum([
        [direction, 1],
        [common, -1],
      ]),
    ),
  );
  const best = pages.map(({ evidence }, index) => ({ evidence, own: own[index] ?? [] })).slice(0, counted);
  const target = unit(sum(best.map((page) => [page.own, Math.exp(sharpness * page.evidence)])));
  return own.map((direction) => weight * (1 - trust * (1 - dot(direction, target))));
}

describe("similarity to the best pages", () => {
  it("is the weighted cosine with the mean of the best, after the common mean is subtracted", () => {
    const values = array(integer({ min: -9, max: 9 }), { minLength: 3, maxLength: 3 });
    assert(
      property(array(values, { minLength: 1, maxLength: 90 }), integer({ min: 1, max: 4 }), (given, counted) => {
        const pages = given.map((some, index) => ({ evidence: 5 - index / 10, vector: vector(5, ...some) }));
        const found = contributionsOf(Object.fromEntries(pages.map((page, index) => [`page ${index}`, page])), {
          pages: counted,
        });
        const expected = writtenDown(pages, { ...settings, pages: counted });
        expected.forEach((gain, index) => expect(found.get(`page ${index}`)).toBeCloseTo(gain, 4));
      }),
    );
  });

  it("raises pages that are similar to the best one, and more with more candidates", () => {
    const lead = (candidates: number): number => {
      const others = Array.from({ length: candidates - 3 }, (_, place) => [
        `other ${place}`,
        { evidence: 0, vector: vector(place % 5, -place % 7, 9) },
      ]);
      const gains = contributionsOf({
        best: { evidence: 5, vector: vector(3, 4, 0) },
        like: { evidence: 1, vector: vector(60, 79, 0) },
        other: { evidence: 2, vector: vector(-4, 3, 0) },
        ...Object.fromEntries(others),
      });
      return (gains.get("like") ?? NaN) - (gains.get("other") ?? NaN);
    };
    expect(lead(60)).toBeGreaterThan(3);
    expect(lead(6)).toBeGreaterThan(0);
    expect(lead(6)).toBeLessThan(lead(60) / 2);
  });

  it("is lowest for pages without a vector, even the best page, and for pages far down", () => {
    const gains = contributionsOf({
      best: { evidence: 9 },
      one: { evidence: 2, vector: vector(1, 0) },
      other: { evidence: 1, vector: vector(0.8, 0.6) },
    });
    expect(gains.get("best")).toBe(gains.get("other"));
    const many = Array.from({ length: 101 }, (_, place) => [
      String(place),
      { evidence: -place, vector: vector(1, place % 7) },
    ]);
    const found = contributionsOf(Object.fromEntries(many));
    expect(found.get("100")).toBe(Math.min(...found.values()));
    expect(found.size).toBe(101);
  });

  it("is undefined if no page has a vector, and a number for vectors of zeros and for one page", () => {
    expect(contributionsOf({ one: { evidence: 1 } })).toEqual(new Map());
    const gains = [
      ...contributionsOf({ zeros: { evidence: 3, vector: vector(0, 0) } }).values(),
      ...contributionsOf({ one: { evidence: 3, vector: vector(0, 2) } }).values(),
      ...contributionsOf({
        zeros: { evidence: 3, vector: vector(0, 0) },
        one: { evidence: 2, vector: vector(0, 2) },
      }).values(),
    ];
    expect(gains).toHaveLength(4);
    expect(gains.every(Number.isFinite)).toBe(true);
  });

  it("does not overflow on large evidence", () => {
    const gains = contributionsOf(
      { one: { evidence: 1e6, vector: vector(1, 0) }, two: { evidence: 0, vector: vector(0, 1) } },
      { sharpness: 100 },
    );
    expect(gains.get("one")).toBeCloseTo(10, 5);
    expect(gains.get("two")).toBeCloseTo(10 - (10 * 2 * 2) / 50, 5);
  });
});
