import { expect, test } from "vitest";
import { cleanWords } from "./words.ts";

test.each([
  ["ligatures and full-width letters become plain", "ﬁne ＰＤＦ", "fine PDF"],
  ["a word divided at a line's end is joined", "docu-\r\nment", "document"],
  ["what PDFium marks as hyphenation is joined", "docu\ufffement and docu\ufffe\r\nment", "document and document"],
  [
    "a hyphen that PDFium marks beside capitals or digits comes back",
    "IEEE\ufffe754, Trace\ufffeMonkey",
    "IEEE-754, Trace-Monkey",
  ],
  ["accents beside their letters are put on them", "na¨ıve Pad´e", "naïve Padé"],
  ["a soft hyphen goes", "docu\u00adment", "document"],
  ["a hyphen beside capitals or digits stays", "UTF-\n8 and 2010-\n2020", "UTF-\n8 and 2010-\n2020"],
  ["a control character is a space, lines stay", "the\u0002end\u0003of\u0000it\u0007\r\nc", "the end of it\nc"],
  [
    "control characters together are glyphs without a meaning",
    "on \u0004\u0005\b\u000b\u0006\tx",
    "on \ufffd\ufffd\ufffd\ufffd\ufffd x",
  ],
  ["white space shrinks", "a \t  b\n\n\n\nc ", "a b\n\nc"],
  ["half a surrogate pair cannot be stored", "a\ud800b", "a\ufffdb"],
  [
    "Chinese and Japanese signs that are set apart are joined",
    "关 于 红 军 ... 1 と り  外 し",
    "关于红军 ... 1 とり外し",
  ],
  [
    "their words that are apart stay so, as do Korean ones",
    "目 录 交換 する 本 을 를 은",
    "目 录 交換 する 本 을 를 은",
  ],
  ["other scripts stay as they are", "日本語 عربى", "日本語 عربى"],
])("%s", (_name, text, clean) => {
  expect(cleanWords(text)).toBe(clean);
});
