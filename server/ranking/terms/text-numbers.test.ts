import { expect, test } from "vitest";
import { createTextNumbers } from "./text-numbers.ts";

/** More forms than the table begins with, among them each word in two forms and one without letters of ASCII. */
const forms = Array.from({ length: 12_000 }, (_, index) => [
  `Walrus${index}`,
  `walrus${index}`,
  `größe${index}`,
]).flat();

test("the words of pages have the numbers of their roots, however many words there are", () => {
  const numbers = createTextNumbers();
  const pages = Array.from({ length: 72 }, (_, index) => forms.slice(500 * index, 500 * (index + 1)));
  for (const page of [...pages, ...pages]) {
    const expected = page.map((form) => numbers.ofTerm(form));
    expect([...numbers.ofText(page.join(" "))]).toEqual(expected);
  }
  expect(numbers.size).toBe(24_000);
});

test("forms that are beginnings of each other, spaces, and nothing", () => {
  const numbers = createTextNumbers();
  expect([...numbers.ofText(" ab a  abc ab ")]).toEqual(["ab", "a", "abc", "ab"].map(numbers.ofTerm));
  expect([...numbers.ofText("")]).toEqual([]);
  expect([...numbers.ofText("   ")]).toEqual([]);
});
