import { describe, expect, it } from "vitest";
import { newDatasetId } from "../../domain/ids.ts";
import { documentKey } from "../../domain/ports/pack-ranking.ts";
import { candidatesOf } from "../retrieve/candidates.ts";
import type { Reading } from "./reading.ts";
import type { PageKey } from "../../domain/ports/vectors.ts";
import { termsFoundIn } from "../testing/found-terms.ts";
import { featuresOf, contributionsOf } from "./gains.ts";
import type { FeatureName } from "../../domain/ports/pack-ranking.ts";

const datasetId = newDatasetId();
const page = (number: number) => ({ datasetId, generation: "", page: number });

const found = (keys: readonly PageKey[]) => candidatesOf([["words", keys.map((key) => ({ ...key, score: 1 }))]]);
const alike = ({ length }: readonly PageKey[]) => new Float64Array(length).fill(1);

/** The features of pages 1, 2 … of one document. */
function read(question: string, pages: readonly string[], documents: Reading["documents"] = new Map()) {
  const keys = pages.map((_, index) => page(index + 1));
  const reading: Reading = { ...termsFoundIn(question.split(" "), pages), documents };
  const { read: places, values } = featuresOf(found(keys), alike(keys), reading);
  expect(places).toEqual(keys.map((_, place) => place));
  return {
    reading,
    keys,
    of: (name: FeatureName) => Array.from(values[name], (value) => Number(value.toFixed(3))),
  };
}

describe("features of pages that were read", () => {
  it("finds other forms and other cases of a word, and skips stop words", () => {
    const { of } = read("what is the Integrating of Equations", [
      "numerical integration",
      "an EQUATION",
      "what is the",
    ]);
    expect(of("window")).toEqual([0.5, 0.5, 0]);
  });

  it("gives more weight to a word that fewer of the pages have", () => {
    const { of } = read("walrus dinner", ["walrus", "dinner", "dinner", "dinner", "none"]);
    const [walrus = 0, dinner = 0] = of("window");
    expect(walrus).toBeGreaterThan(dinner);
    expect(walrus + dinner).toBeCloseTo(1, 2);
  });

  it("distinguishes neighbouring words from distant ones, and their order", () => {
    const { of } = read("failed attempts", [
      "after two failed attempts it gives up",
      "failed early attempts",
      "attempts failed",
      "failed as one of many such attempts",
    ]);
    expect(of("pairs")).toEqual([1, 0.5, 0, 0]);
  });

  it("slides a window of 40 words over the page", () => {
    const apart = (words: number) => `walrus ${"x ".repeat(words)}dinner`;
    const { of } = read("walrus dinner", [apart(38), apart(39), "none", "none either"]);
    expect(of("window")).toEqual([1, 0.5, 0, 0]);
  });

  it("looks for words of the question among the first 15 of the page", () => {
    const { of } = read("walrus", [`${"x ".repeat(14)}walrus`, `${"x ".repeat(15)}walrus`]);
    expect(of("heading")).toEqual([1, 0]);
  });

  it("counts numbers separately", () => {
    const { of } = read("Revenue of Acme in 2018", ["acme 2018", "revenue 2018", "acme", "revenue"]);
    expect(of("numbers")).toEqual([1, 1, 0, 0]);
    expect(read("revenue", ["revenue"]).of("numbers")).toEqual([0]);
  });

  it("counts the page before or after by its evidence relative to the best page", () => {
    const { reading, keys } = read("walrus", ["walrus", "otter", "lynx"]);
    const candidates = found([...keys, { ...page(2), generation: "a1" }]);
    const { values } = featuresOf(candidates, Float64Array.of(3, 1, 3, 3), reading);
    expect([...values.neighbours]).toEqual([Math.exp(-2), 1, Math.exp(-2)]);
  });

  it("adds the evidence of the document", () => {
    const documents = new Map([[documentKey(page(1)), { name: 4, opening: 0, whole: 9 }]]);
    const { of } = read("walrus", ["walrus", "otter"], documents);
    expect([of("documentName"), of("documentOpening"), of("documentWhole")]).toEqual([
      [2, 2],
      [0, 0],
      [3, 3],
    ]);
  });

  it("has finite values for questions of only stop words or thousands of words, and for blank pages", () => {
    const long = Array.from({ length: 3_000 }, (_, index) => `word${index}`).join(" ");
    for (const question of ["the", "", long]) {
      const { reading, keys } = read(question, ["", "the", long]);
      for (const column of Object.values(featuresOf(found(keys), alike(keys), reading).values)) {
        expect(column).toHaveLength(keys.length);
        expect(column.every(Number.isFinite)).toBe(true);
      }
    }
  });
});

describe("gains", () => {
  it("are the weighted sum of features, only for pages that were read", () => {
    const { reading, keys } = read("walrus", ["walrus", "otter"]);
    const all = [page(3), ...keys];
    const withoutFirst = { ...reading, pages: [undefined, ...reading.pages] };
    const { read: places, values } = featuresOf(found(all), alike(all), withoutFirst);
    expect(places).toEqual([1, 2]);
    expect([...contributionsOf({ window: 2, length: 1 }, values)]).toEqual([2 + Math.log(2), Math.log(2)]);
  });
});
