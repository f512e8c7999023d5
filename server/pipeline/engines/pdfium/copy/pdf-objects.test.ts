import { expect, test } from "vitest";
import { isDictionary, readWritten, writeFileOf } from "./pdf-objects.ts";

/** A file whose only object has this body. */
function fileOf(body: string, name = "/Root 1 0 R"): Buffer {
  const head = "%PDF-1.7\n";
  const start = head.length + `1 0 obj\n${body}\nendobj\n`.length;
  return Buffer.from(
    `${head}1 0 obj\n${body}\nendobj\nxref\n0 2\n0000000000 65535 f\r\n${String(head.length).padStart(10, "0")} 00000 n\r\n` +
      `trailer\n<< ${name} /Size 2 >>\nstartxref\n${start}\n%%EOF\n`,
    "latin1",
  );
}

test.each([
  ["strings with brackets", String.raw`<</A (a\) (b) \\)/B <</C ()>>>>`],
  ["strings in digits", "<</A <0aFF>/B [<> <00>]>>"],
  ["references beside numbers", "<</A [1 0 R 2 0 3 0 R]/B 1 0 R>>"],
  ["bytes beyond ASCII", "<</A (\u00e9\u00ff)>>"],
  ["names with escapes", "<</A#20B /C#2fD/E#28 1>>"],
  ["keywords", "[true false null -1.5]"],
  ["a stream with what ends streams in it", "<</Length 29>>\nstream\nendstream\nendobj\n>> 2 0 obj\nq\nendstream"],
])("a file is read and written again: %s", (_case, body) => {
  const file = readWritten(fileOf(body));
  const again = writeFileOf(file?.objects ?? new Map(), 1).toString("latin1");
  expect(again).toContain(`1 0 obj\n${body}\nendobj\n`);
});

test("names of entries are told apart by what they mean", () => {
  const value = readWritten(fileOf("<</Piece#49nfo 1>>"))?.objects.get(1)?.value;
  expect(isDictionary(value) && value.get("/PieceInfo")).toBe("1");
});

test.each([
  ["text", Buffer.from("no PDF")],
  ["an object that does not end", fileOf("<</A [1 2")],
  ["values without end", fileOf("[".repeat(100_000))],
  ["a stream longer than the file", fileOf("<</Length 9999>>\nstream\nq\nendstream")],
])("what is not whole is not taken for a file: %s", (_case, bytes) => {
  expect(readWritten(bytes)).toBeUndefined();
});
