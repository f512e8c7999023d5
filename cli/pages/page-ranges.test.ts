import { expect, test } from "vitest";
import { pageSelection } from "./page-ranges.ts";

test.each([
  ["16", "16"],
  ["5-7", "5:7"],
  ["5:7", "5:7"],
  ["5 - 7 , 3", "5:7,3"],
  ["5-", "5:"],
  ["5:", "5:"],
  [":10", "1:10"],
  ["7-7", "7"],
  ["1,3,5-7", "1,3,5:7"],
])("%j asks the service for %j", (text, expression) => {
  expect(pageSelection(text).expression).toBe(expression);
});

test.each(["", "0", "0-3", "7-5", "7:5", ":", "-", "-5", "1,,2", "1-2-3", "a", "1.5", ":0", "5:-7"])(
  "%j is refused",
  (text) => {
    expect(() => pageSelection(text)).toThrow("is neither a page nor a range of pages");
  },
);

test.each([
  ["5000", 14, ["5000"]],
  ["3,15-20,14-", 14, ["15-20"]],
  ["1-20", 14, []],
])("of %s a document of %i pages has nothing of %j", (text, pages, beyond) => {
  expect(pageSelection(text).beyond(pages)).toEqual(beyond);
});

test.each([
  ["9,2,5-7", [9, 2, 5, 6, 7]],
  ["6-,1-3", [6, 7, 8, 9, 1, 2, 3]],
  ["3,1-4", [3, 1, 2, 4]],
])("pages come in the order of %s", (text, pages) => {
  expect([...pages].sort((one, other) => one - other).toSorted(pageSelection(text).order)).toEqual(pages);
});
