import { expect, test } from "vitest";
import { parseSort } from "./list.ts";

const properties = ["createdAt", "col"] as const;

test("falls back to newest first", () => {
  expect(parseSort([], properties)).toEqual({
    expressions: ["-createdAt"],
    keys: [{ property: "createdAt", descending: true }],
  });
});

test("reads several expressions, also in one text", () => {
  const keys = [
    { property: "col", descending: false },
    { property: "createdAt", descending: true },
  ];
  expect(parseSort(["col", "-createdAt"], properties).keys).toEqual(keys);
  expect(parseSort(["col, -createdAt"], properties).keys).toEqual(keys);
});

test.each(["size", "--col", "col desc", "constructor"])("refuses %j and lists the properties", (expression) => {
  expect(() => parseSort([expression], properties)).toThrow(/createdAt, col/);
});
