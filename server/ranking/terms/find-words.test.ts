import { expect, it } from "vitest";
import { TracedText } from "./traced-text.ts";
import { findWords } from "./find-words.ts";

const words = (...stems: readonly string[]) => stems.map((stem, place) => ({ roots: [stem], weight: 2 ** -place }));
const partsOf = (text: string, ...stems: readonly string[]) =>
  findWords(new TracedText(text), words(...stems)).map(({ from, to }) => text.slice(from, to));

it("joins words that follow each other, and no others", () => {
  expect(partsOf("Pumps, pumping; the Seals of pumps", "pump", "seal")).toEqual(["Pumps, pumping", "Seals", "pumps"]);
});

it("joins words with hyphens like others", () => {
  expect(partsOf("the pump-seal, pumps well-known seal-pumps", "pump", "seal")).toEqual([
    "pump-seal, pumps",
    "seal-pumps",
  ]);
  expect(partsOf("an e-mail list and pre-trans e-東京", "email", "list", "東京")).toEqual(["e-mail list", "東京"]);
});

it("counts each of the words once in a weight", () => {
  const [first, second] = findWords(new TracedText("pump pump seal. Then seal"), words("pump", "seal"));
  expect([first?.weight, second?.weight]).toEqual([1.5, 0.5]);
});

it.each<[string, string, string[]]>([
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
  ["Arabic ligatures", "هذا \ufefb \ufe94\ufea3\ufe8e\ufed3\ufe97", ["لا"]],
  ["beginnings of words, of other languages", "Die Kündigungsfrist für den Mietvertrag", ["kundi*"]],
  ["beginnings of words of other alphabets", "Порядок установки сервера", ["устан*"]],
  ["ends of compounds", "Das Dampfschiff fährt über die Donau und den Main", ["*chiff*"]],
  ["triples of characters", "ขั้นตอนการติดตั้งระบบ", ["ระบ"]],
  ["numbers with several marks", "costs 1.234.567,50 in all", ["1234567d5"]],
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

it("finds no beginnings if the index has none", () => {
  expect(partsOf("The kundig of the page", "kundi*")).toEqual([]);
});

it("returns the places of the words in the original text", () => {
  const text = "The king\u00ad's cafe\u0301s and their \ufb01lter's paper";
  const rewritten = new TracedText(text).replace(/and/g, "&&&&");
  expect(findWords(rewritten, words("cafe", "filter", "paper")).map(({ from, to }) => text.slice(from, to))).toEqual([
    "cafe\u0301s",
    "\ufb01lter's paper",
  ]);
});

it("finds nothing in an empty text, or without words", () => {
  expect(partsOf("", "pump")).toEqual([]);
  expect(partsOf("pumps")).toEqual([]);
});
