import { expect, test } from "vitest";
import { cleanWords } from "./words.ts";

test.each([
  ["ligatures and full-width letters become plain", "ﬁne ＰＤＦ", "fine PDF"],
  ["a word divided at a line's end is joined", "docu-\r\nment", "document"],
  ["what PDFium marks as hyphenation is joined", "docu\u0002\r\nment", "document"],
  ["a soft hyphen goes", "docu\u00adment", "document"],
  ["a hyphen beside capitals or digits stays", "UTF-\n8 and 2010-\n2020", "UTF-\n8 and 2010-\n2020"],
  ["control characters go, lines stay", "a\u0000b\u0007\r\nc", "ab\nc"],
  ["white space shrinks", "a \t  b\n\n\n\nc ", "a b\n\nc"],
  ["half a surrogate pair cannot be stored", "a\ud800b", "a\ufffdb"],
  ["other scripts stay as they are", "日本語 عربى", "日本語 عربى"],
])("%s", (_name, text, clean) => {
  expect(cleanWords(text)).toBe(clean);
});
