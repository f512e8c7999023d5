import { assert, property, string } from "fast-check";
import { expect, test } from "vitest";
import { pageFileName, safeStem } from "./page-file.ts";

test.each([
  ["Annual report (final).pdf", "Annual-report-final"],
  ["../../etc/passwd", "passwd"],
  ["..\\..\\boot.ini", "boot"],
  ["größe & form.pdf", "größe-form"],
  ["年次報告書.pdf", "年次報告書"],
  ["-rf.pdf", "rf"],
  [".bashrc", "bashrc"],
  ["CON.pdf", "CON-file"],
  ["a\u0000b\u001b[2J.pdf", "a-b-2J"],
  ["", "document"],
  ["..", "document"],
  ["v1.2.pdf", "v1.2"],
])("%j becomes %j", (name, stem) => {
  expect(safeStem(name)).toBe(stem);
});

test("whatever comes in, the name is safe and fits", () => {
  assert(
    property(string({ unit: "binary", maxLength: 300 }), (fileName) => {
      const name = pageFileName({ fileName, page: 7, row: "jpg" });
      expect(name).toMatch(/^[\p{L}\p{M}\p{N}][\p{L}\p{M}\p{N}._-]*-p0007\.jpg$/u);
      expect(Buffer.byteLength(name)).toBeLessThan(200);
    }),
  );
});
