import { expect, test } from "vitest";
import { docstring, withoutDocstrings } from "./text.ts";

test("short docstrings take one line", () => {
  expect(docstring("Returns one job.", "    ")).toBe('    """Returns one job."""');
  expect(docstring('Such as "pdf"', "")).toBe('"""Such as "pdf"\n"""');
});

test("long docstrings are wrapped, with indented list entries", () => {
  const words = "word ".repeat(40).trim();
  const lines = docstring([words, "", "Args:", `    id: ${words}`].join("\n"), "    ").split("\n");
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(120);
  expect(lines[1]).toMatch(/^ {4}word/);
  expect(lines).toContain("");
  expect(lines.find((line) => line.includes("id:"))).toMatch(/^ {8}id: word/);
  expect(lines.at(-2)).toMatch(/^ {12}word/);
});

test("quotes that would end the docstring are replaced", () => {
  expect(docstring('a """ and a \\', "")).toBe('"""a \'\'\' and a \\\\"""');
});

test("names in docstrings are not used names", () => {
  expect(withoutDocstrings('a = 1\n"""Mapping\n"""\nb = 2')).toBe("a = 1\n\nb = 2");
});
