import { expect, it } from "vitest";
import { findWords } from "./find-words.ts";

const words = (...stems: readonly string[]) => stems.map((stem, place) => ({ stem, weight: 2 ** -place }));
const partsOf = (text: string, ...stems: readonly string[]) =>
  findWords(text, words(...stems)).map(({ from, to }) => text.slice(from, to));

it("joins words that follow each other, and no others", () => {
  expect(partsOf("Pumps, pumping; the Seals of pumps", "pump", "seal")).toEqual(["Pumps, pumping", "Seals", "pumps"]);
});

it("joins words with hyphens as others", () => {
  expect(partsOf("the pump-seal, pumps well-known seal-pumps", "pump", "seal")).toEqual([
    "pump-seal, pumps",
    "seal-pumps",
  ]);
  expect(partsOf("an e-mail list and pre-trans\ufffe\nmission e-東京", "email", "list", "transmiss", "東京")).toEqual([
    "e-mail list",
    "trans\ufffe\nmission",
    "東京",
  ]);
});

it("counts each of the words once in a weight", () => {
  const [first, second] = findWords("pump pump seal. Then seal", words("pump", "seal"));
  expect([first?.weight, second?.weight]).toEqual([1.5, 0.5]);
});

it.each<[string, string, string[]]>([
  ["a divided word", "the trans\ufffe\r\nmission ends", ["transmiss"]],
  ["a word with a hyphen at the end of its line", "the trans-\r\nmission ends", ["transmiss"]],
  ["a word with a soft hyphen", "the trans\u00admission ends", ["transmiss"]],
  ["accents", "le modèle général", ["model"]],
  ["parts of an identifier", "call getElementById now", ["element"]],
  ["numbers as they are written", "costs 1,234.50 in all", ["1234d5"]],
  ["numbers without fractions", "costs 12,000 in all", ["12000"]],
  ["pairs of characters", "東京都の電車", ["電車"]],
  ["versions", "since v2.10.3 of it", ["2d10d3"]],
  ["words that a hyphen joins", "send an e-mail to us", ["email"]],
  ["words that a hyphen divides", "send a well-known mail", ["known"]],
  ["ligatures", "the \ufb01lter", ["filter"]],
])("finds %s", (_, text, stems) => {
  expect(partsOf(text, ...stems)).toHaveLength(1);
});

it("joins pairs that overlap or follow each other, and no others", () => {
  expect(partsOf("新幹線の切符", "新幹", "幹線")).toEqual(["新幹線"]);
  expect(
    partsOf("依存関係を宣言しているパッケージ依存", "依存", "存関", "関係", "パッ", "ッケ", "ケー", "ージ"),
  ).toEqual(["依存関係", "パッケージ依存"]);
  expect(partsOf("電車で pumps 電車", "電車", "pump")).toEqual(["電車", "pumps 電車"]);
});

it("finds nothing in nothing, and nothing of nothing", () => {
  expect(partsOf("", "pump")).toEqual([]);
  expect(partsOf("pumps")).toEqual([]);
});
