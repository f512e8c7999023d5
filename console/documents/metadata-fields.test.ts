import { expect, test } from "vitest";
import { changeOf, fieldsOf, problemsOf, valueOf } from "./metadata-fields.ts";

const metadata = {
  customer: 42,
  draft: true,
  name: "Ada",
  signed: "2026-11-22",
  tags: ["a", "b"],
  years: [2024, 2025],
  various: ["a", 1],
};

test("what is edited and not changed stays as it is, with its types", () => {
  const fields = fieldsOf(metadata);
  expect(fields.map(({ kind }) => kind)).toEqual(["number", "boolean", "text", "date", "texts", "numbers", "mixed"]);
  expect(changeOf(metadata, fields)).toEqual({});
});

test("only what has changed is sent, and null for what is gone", () => {
  const [customer, , name] = fieldsOf(metadata);
  if (customer === undefined || name === undefined) throw new Error("no fields");
  const change = changeOf({ customer: 42, draft: true, name: "Ada" }, [
    { ...customer, text: "43" },
    { ...name, name: "author" },
  ]);
  expect(change).toEqual({ customer: 43, author: "Ada", draft: null, name: null });
});

test.each([
  ["number", "4 2"],
  ["number", ""],
  ["numbers", "1\nx"],
  ["date", "22.11."],
  ["mixed", "{}"],
] as const)("as %s, %j is wrong", (kind, text) => {
  expect(valueOf({ kind, text })).toBeUndefined();
  expect(problemsOf([{ id: 1, name: "a", kind, text }]).get(1)).toBe("value");
});

test("a field without a name and one of the same name are told", () => {
  const field = { kind: "text", text: "" } as const;
  const problems = problemsOf([
    { ...field, id: 1, name: "a" },
    { ...field, id: 2, name: "a " },
    { ...field, id: 3, name: "" },
  ]);
  expect([...problems]).toEqual([
    [2, "twice"],
    [3, "nameless"],
  ]);
});
