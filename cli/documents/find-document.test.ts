import { expect, test } from "vitest";
import { soleMatch } from "./find-document.ts";

const document = (id: string, fileName: string, createdAt = Date.UTC(2026, 0, 2)) => ({
  id,
  fileName,
  createdAt,
  itemCount: 14,
});
const documents = [
  document("ds_1", "tracemonkey.pdf"),
  document("ds_2", "Report.pdf"),
  document("ds_3", "report.docx"),
  document("ds_4", "minutes.docx"),
  document("ds_5", "minutes.docx", Date.UTC(2026, 4, 6)),
];

test.each([
  ["tracemonkey.pdf", "ds_1"],
  ["tracemonkey", "ds_1"],
  ["TRACEMONKEY.PDF", "ds_1"],
  ["report.docx", "ds_3"],
  ["report.pdf", "ds_2"],
])("%s is one document", (word, id) => {
  expect(soleMatch(word, documents).id).toBe(id);
});

test("several documents of a name are listed with what tells them apart", () => {
  expect(() => soleMatch("minutes.docx", documents)).toThrow(
    /^minutes\.docx is the name of 2 documents\n {2}ds_4 {2}minutes\.docx, 14 pages, uploaded .*2026.*\n {2}ds_5 .*$/,
  );
  expect(() => soleMatch("report", documents)).toThrow("the name of 2 documents");
});

test.each([
  ["tracemonky.pdf", "tracemonkey.pdf"],
  ["Tracemonkeys", "tracemonkey.pdf"],
  ["minuts", "minutes.docx"],
])("a misspelt %s is answered with %s", (word, name) => {
  expect(() => soleMatch(word, documents)).toThrow(
    expect.objectContaining({ next: expect.stringContaining(`did you mean ${name}?`) }),
  );
});

test("a long list of candidates is cut", () => {
  const many = Array.from({ length: 12 }, (_, index) => document(`ds_${index}`, "a.pdf"));
  expect(() => soleMatch("a.pdf", many)).toThrow(/ds_9 .*\n {2}and 2 more$/);
});

test("a name that no document has cannot steer the terminal", () => {
  expect(() => soleMatch("\u001B[2J.pdf", documents)).toThrow(/^no document is called \P{Cc}*$/u);
});
