import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findWindow, type TimeSource, boundSlice } from "./item-windows.ts";

const sourceOf =
  (times: readonly number[], each: number): TimeSource =>
  async ({ after, descending, count }) => {
    const counts = new Map<number, number>();
    for (const time of times) counts.set(time, (counts.get(time) ?? 0) + each);
    return [...counts]
      .map(([time, items]) => ({ time, items }))
      .toSorted((one, other) => (descending ? other.time - one.time : one.time - other.time))
      .filter(({ time }) => after === undefined || (descending ? time < after : time > after))
      .slice(0, count);
  };

const anyTimes = fc.array(fc.integer({ min: 0, max: 400 }), { maxLength: 600 });

describe("findWindow", () => {
  it("finds the slice that reading the whole list gives", async () => {
    await fc.assert(
      fc.asyncProperty(
        anyTimes,
        anyTimes,
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        fc.integer({ min: 1, max: 50 }),
        fc.boolean(),
        async (pages, embedded, place, limit, descending) => {
          const all = [...pages.flatMap((time) => [time, time]), ...embedded].toSorted((one, other) =>
            descending ? other - one : one - other,
          );
          if (all.length === 0) return;
          const offset = Math.floor(place * all.length);
          const sources = [sourceOf(pages, 2), sourceOf(embedded, 1)];
          const { from, to, skipped } = await findWindow(sources, { total: all.length, offset, limit, descending });
          const within = all.filter((time) => time >= from && time <= to);
          expect(within.slice(skipped, skipped + limit)).toEqual(all.slice(offset, offset + limit));
          // It skips fewer items than one time has, so that few items are read in vain.
          expect(skipped).toBeLessThan(all.filter((time) => time === all[offset]).length + 1);
        },
      ),
    );
  });

  it("counts no further than the slice", async () => {
    const asked: number[] = [];
    const source = sourceOf(
      Array.from({ length: 10_000 }, (_, time) => time),
      1,
    );
    const counting: TimeSource = async (query) => {
      const found = await source(query);
      asked.push(found.length);
      return found;
    };
    await findWindow([counting], { total: 10_000, offset: 9_950, limit: 10, descending: false });
    expect(asked).toEqual([64]);
  });
});

const anyBlocks = fc.array(
  fc.record({
    times: fc.array(fc.integer({ min: 0, max: 30 }), { minLength: 1, maxLength: 6 }),
    wider: fc.tuple(fc.nat(3), fc.nat(3)),
  }),
  { minLength: 1, maxLength: 8 },
);

it("covers the whole slice, and tells how many items come before it", () => {
  fc.assert(
    fc.property(anyBlocks, fc.nat(), fc.nat(), fc.boolean(), (blocks, one, other, descending) => {
      const pages = blocks.map(({ times, wider: [earlier, later] }) => ({
        times,
        first: Math.min(...times) - earlier,
        last: Math.max(...times) + later,
        items: times.length,
      }));
      const sign = descending ? -1 : 1;
      const all = pages.flatMap(({ times }) => times).toSorted((a, b) => sign * (a - b));
      const offset = one % all.length;
      const taken = 1 + (other % (all.length - offset));
      const { from, to, passed, across } = boundSlice(pages, { offset, taken, descending });
      for (const time of all.slice(offset, offset + taken)) {
        expect(time).toBeGreaterThanOrEqual(from);
        expect(time).toBeLessThanOrEqual(to);
      }
      const isBefore = (time: number): boolean => (descending ? time > to : time < from);
      const counted = across.flatMap(({ times }) => times).filter(isBefore).length;
      expect(passed + counted).toBe(all.filter(isBefore).length);
      expect(passed + counted).toBeLessThanOrEqual(offset);
    }),
  );
});

it("reads no items if pages were created one after another", () => {
  const pages = Array.from({ length: 100 }, (_, at) => ({ first: at * 10, last: at * 10 + 9, items: 1_000 }));
  for (const descending of [false, true]) {
    const { from, to, passed, across } = boundSlice(pages, { offset: 50_500, taken: 10, descending });
    expect(to - from).toBeLessThan(20);
    expect(passed).toBe(50_000);
    expect(across).toEqual([]);
  }
});
