import { expect, test } from "vitest";
import { readChunk } from "./chunks.ts";

const textOf = async (name: string, content: string): Promise<string | undefined> => {
  const text = await readChunk({ bytes: async () => Buffer.from(content) }, name);
  return text?.replace(/\s+/g, " ").trim();
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
  ["a.rtf", "{\\rtf1 x}", undefined],
])("%s: %j has the text %j", async (name, content, text) => {
  expect(await textOf(name, content)).toBe(text);
});

// Patterns that look for an end from each beginning take hours for these.
test.each(["<", "<script>", "<!--", "<b ", "&#", "content-type: text/html\n", "content-type:          "])(
  "four megabytes of %j are read",
  async (piece) => {
    const content = piece.repeat(Math.floor((4 * 2 ** 20) / piece.length));
    for (const name of ["a.html", "a.mht"]) expect(typeof (await textOf(name, content))).toBe("string");
  },
);
