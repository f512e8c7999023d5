import { expect, test } from "vitest";
import { createInOrder } from "./pages.ts";

test("each is printed as soon as all before it are, and not later", () => {
  const printed: string[] = [];
  const ended = createInOrder();
  const end = (index: number): number => {
    ended(index, () => printed.push(String(index)));
    return printed.length;
  };
  expect([end(2), end(0), end(3), end(1)]).toEqual([0, 1, 1, 4]);
  expect(printed).toEqual(["0", "1", "2", "3"]);
});
