import { describe, expect, it, test } from "vitest";
import { instead, isGarbled, isUsable, mayShowMore, withRead } from "./text-layer.ts";

const page = "The harbour master kept a ledger of every vessel that anchored beyond the lighthouse, with the names.";

describe("a text layer", () => {
  it.each([
    ["of prose", page],
    ["of numbers", Array.from({ length: 40 }, (_, row) => `${row} 1,284.50 (3.1%)`).join("\n")],
    ["in a script without spaces", "灯台の向こうに停泊した船はすべて帳簿に記された".repeat(4)],
    ["in an alphabet of its own", "Начальник порта вёл книгу обо всех судах, стоявших на якоре за маяком, и о грузе"],
  ])("%s is of use", (_, words) => expect(isUsable(words)).toBe(true));

  it.each([
    ["that is empty", ""],
    ["of a page number", "- 17 -"],
    ["of glyphs without a meaning", "\ue001\ue002 \ue003\ue004".repeat(60)],
    ["of signs instead of letters", `!"#$ %&'( )*+, -./: ;<=> `.repeat(40) + page],
  ])("%s is of none", (_, words) => expect(isUsable(words)).toBe(false));
});

describe("words for the index", () => {
  it("are the text layer's where the picture shows no more", () => {
    expect(withRead("Annual Report", "Annua1 Report")).toBe("Annual Report");
    expect(withRead("Annual Report", "")).toBe("Annual Report");
  });

  it("are those that were read, after a stamp that is text", () => {
    expect(withRead("Scanned 2019", page)).toBe(`Scanned 2019\n${page}`);
    expect(withRead("", page)).toBe(page);
  });

  it("are not made of what fonts garble", () => {
    expect(withRead(`!"#$ %&'( )*+, -./: ;<=> `.repeat(40) + page, "read")).toBe("read");
  });
});

const nothing = { signs: 0, points: 0, hasPictures: false, pictureShare: 0 };

test.each([
  ["is blank", "", nothing],
  ["is a title", "Annual Report\n2023", { ...nothing, signs: 16 }],
  ["is a divider in a frame", "Part II", { ...nothing, signs: 6, points: 10 }],
  ["has nothing but its number", "- 17 -", { ...nothing, signs: 4 }],
])("the picture of a page that %s shows no more than is known", (_, words, drawing) => {
  expect(mayShowMore(words, drawing)).toBe(false);
});

test.each([
  ["is a scan", "", { ...nothing, hasPictures: true }],
  ["is a scan with a stamp", "Scanned 2019", { ...nothing, signs: 11, hasPictures: true }],
  ["has its letters as outlines", "", { ...nothing, points: 900 }],
  ["has a font that tells no letters", "\ue001\ue002\ue003", { ...nothing, signs: 30 }],
])("the picture of a page that %s may show more", (_, words, drawing) => {
  expect(mayShowMore(words, drawing)).toBe(true);
});

const english =
  "The harbour master kept a ledger of every vessel that anchored beyond the lighthouse, with the names of their captains, " +
  "the cargo that they had taken on board, and the weather in which they had come. Nobody has read it " +
  "since, but for the rats, who found the later volumes rather drier than the first, and the binding of all of them excellent.";
/** Subtracts an offset from each letter's code, as in fonts that number their glyphs like TrueType without a mapping. */
const shifted = (text: string, by: number): string =>
  text.replace(/[\u0021-\u007e]/g, (sign) => String.fromCharCode(Math.max(0x20, sign.charCodeAt(0) - by)));

describe("a garbled text layer", () => {
  it.each([
    ["in English", english],
    [
      "in Finnish",
      "Satamamestari piti kirjaa jokaisesta aluksesta, joka ankkuroi majakan taakse, sekä niiden kapteenien nimistä, lastista, jonka ne olivat ottaneet, ja säästä, jossa ne olivat saapuneet satamaan myrskyn jälkeen.",
    ],
    [
      "in Welsh",
      "Genir pawb yn rhydd ac yn gydradd a'i gilydd mewn urddas a hawliau. Fe'u cynysgaeddir a rheswm a chydwybod, a dylai pawb ymddwyn y naill at y llall mewn ysbryd cymodlon bob dydd o'r flwyddyn.",
    ],
    [
      "in Polish",
      "Kapitan portu prowadził księgę wszystkich statków, które kotwiczyły za latarnią morską, wraz z nazwiskami ich kapitanów, ładunkiem, jaki zabrały na pokład, oraz pogodą, w jakiej przybyły do portu.",
    ],
    [
      "in another alphabet",
      "Начальник порта вёл книгу обо всех судах, стоявших на якоре за маяком, и о грузе. ".repeat(4),
    ],
    ["without spaces", "灯台の向こうに停泊した船はすべて帳簿に記された".repeat(9)],
    [
      "of program text",
      "for (let i = 0; i < names.length; i++) { if (isKnown(names[i])) mxFree(prhs[i]); }\n".repeat(6),
    ],
    ["of numbers", Array.from({ length: 60 }, (_, row) => `Q${row % 4} ${row},284.50 (3.1%) USD`).join("\n")],
    ["of formulas", "\ufffd f(x) = \ufffd ax² + bx + c dx, Σ xᵢ ≤ n ".repeat(9)],
    ["of few words", "Annual Report 2019"],
    ["that is empty", ""],
  ])("%s is true", (_, words) => expect(isGarbled(words)).toBe(false));

  it.each([
    [
      "whose glyphs mean nothing",
      `Overview\n1\n${"\ufffd\ufffd\ufffd\ufffd \ufffd\ufffd\ufffd ".repeat(20)}\n${english.slice(0, 200)}`,
    ],
    ["in code points for private use", "\ue001\ue002 \ue003\ue004".repeat(60)],
    ["of shifted letters", shifted(english, 29)],
    [
      "of letters that stand for others",
      english.replace(/[a-z]/g, (letter) => String.fromCharCode(219 - letter.charCodeAt(0))),
    ],
  ])("%s is wrong", (_, words) => expect(isGarbled(words)).toBe(true));
});

it("OCR text replaces a garbled text layer only if it is language", () => {
  expect(instead("\ufffd", english)).toBe(english);
  expect(instead("GHVVXV", "I,;. l1l1")).toBe("GHVVXV");
  expect(instead("GHVVXV", shifted(english, 29))).toBe("GHVVXV");
});
