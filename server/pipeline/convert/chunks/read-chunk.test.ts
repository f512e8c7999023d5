import { expect, test } from "vitest";
import { readChunk } from "./read-chunk.ts";

const textOf = async (name: string, content: string): Promise<string | undefined> => {
  const lines = await readChunk(
    { bytes: async () => Buffer.from(content, /[\x80-\xff]/.test(content) ? "latin1" : "utf8") },
    name,
  );
  return lines?.join(" ").replace(/\s+/g, " ").trim();
};

test.each([
  [
    "a.html",
    "<head><title>x</title></head><p>Arches <b>cra</b>cked</p><p>piers&nbsp;&#233;</p>",
    "Arches cracked piers é",
  ],
  ["a.htm", "<SCRIPT>no</SCRIPT>yes<!-- <p>no</p> --> sir", "yes sir"],
  ["a.html", "one <p two", "one"],
  ["a.txt", "as <it> is", "as <it> is"],
  [
    "a.mht",
    'MIME-Version: 1.0\r\n\r\n--x\r\nContent-Type: text/html; charset="utf-8"\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n<p>caf=C3=A9 cra=\r\ncked</p>\r\n--x--',
    "café cracked",
  ],
  ["a.mht", "content-type: text/html; charset=windows-1251\n\n<p>\xcf\xf0\xe8</p>", "При"],
  [
    "a.bin",
    String.raw`{\rtf1\ansi\ansicpg1250{\fonttbl{\f0 Arial;}}{\*\generator x;}{\b Arches} cra\'9aed\par\u1055\'3f piers {\v no}\{a\}}`,
    "Arches crašed П piers {a}",
  ],
  ["a.docx", "PK", undefined],
])("%s: %j has the text %j", async (name, content, text) => {
  expect(await textOf(name, content)).toBe(text);
});

// Patterns that search for an end from each beginning take hours for these.
test.each([
  "<",
  "<script>",
  "<!--",
  "<b ",
  "&#",
  "content-type: text/html\n",
  "content-type:          ",
  "{\\rtf1 ",
  "{\\rtf1\\u1 ",
])("a megabyte of %j is read", async (piece) => {
  const content = piece.repeat(Math.floor(2 ** 20 / piece.length));
  for (const name of ["a.html", "a.mht"]) expect(typeof (await textOf(name, content))).toBe("string");
});
