import { expect, test } from "vitest";
import { remoteFileName } from "./file-name.ts";

const way = (...addresses: string[]): URL[] => addresses.map((address) => new URL(address));

test.each([
  ['attachment; filename="plan.pdf"', "plan.pdf"],
  ["attachment; filename=plan.pdf", "plan.pdf"],
  ["attachment; filename*=UTF-8''%e2%82%ac%20rates.pdf; filename=\"EURO rates\"", "€ rates.pdf"],
  ["attachment; filename=\"EURO rates\"; filename*=utf-8'en'%e2%82%ac%20rates.pdf", "€ rates.pdf"],
  // As many servers send it, against the standard: UTF-8, which arrives as Latin-1.
  [Buffer.from('attachment; filename="文書.pdf"').toString("latin1"), "文書.pdf"],
  ['attachment; filename="r\xe9sum\xe9.pdf"', "r\xe9sum\xe9.pdf"],
  [String.raw`attachment; filename="a \"b\".pdf"`, 'a "b".pdf'],
  ["attachment", "file.pdf"],
  ["inline; filename=", "file.pdf"],
  [';;;="', "file.pdf"],
  [undefined, "file.pdf"],
])("Content-Disposition %j names it %j", (header, name) => {
  expect(remoteFileName(header, way("https://example.org/file.pdf?x=1#y"))).toBe(name);
});

test("the last URL with an extension names it, else the last one", () => {
  const name = (...addresses: string[]): string => remoteFileName(undefined, way(...addresses));
  expect(name("https://example.org/download", "https://cdn.example.org/a/plan%20b.pdf")).toBe("plan b.pdf");
  expect(name("https://example.org/plan.pdf", "https://cdn.example.org/8f3e")).toBe("plan.pdf");
  expect(name("https://example.org/download", "https://cdn.example.org/8f3e")).toBe("8f3e");
  expect(name("https://example.org/")).toBe("");
  expect(name("https://example.org/100%.pdf")).toBe("100%.pdf");
});
