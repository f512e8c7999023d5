import { expect, test } from "vitest";
import { createTextNumbers } from "./find-in-texts.ts";

/** More forms than the table's initial capacity, among them each word in two forms and one without ASCII letters. */
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

test("forms that are prefixes of each other, spaces and empty texts are numbered", () => {
  const numbers = createTextNumbers();
  expect([...numbers.ofText(" ab a  abc ab ")]).toEqual(["ab", "a", "abc", "ab"].map(numbers.ofTerm));
  expect([...numbers.ofText("")]).toEqual([]);
  expect([...numbers.ofText("   ")]).toEqual([]);
});
