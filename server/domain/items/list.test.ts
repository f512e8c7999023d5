import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { lastPage, parseCols } from "./list.ts";

describe("parseCols", () => {
  test.each([
    ["1", [{ from: 1, to: 1 }]],
    [
      "5:10,16",
      [
        { from: 5, to: 10 },
        { from: 16, to: 16 },
      ],
    ],
    [
      " 5 : 10 , 16 ",
      [
        { from: 5, to: 10 },
        { from: 16, to: 16 },
      ],
    ],
    ["5:", [{ from: 5, to: lastPage }]],
    [":10", [{ from: 1, to: 10 }]],
    ["7:7", [{ from: 7, to: 7 }]],
    ["99999999999999999999", [{ from: lastPage, to: lastPage }]],
  ])("reads %j", (text, ranges) => {
    expect(parseCols([text])).toEqual(ranges);
  });

  test("means all pages when there is no expression", () => {
    expect(parseCols([])).toBeUndefined();
    expect(parseCols(["", " "])).toBeUndefined();
  });

  test.each(["0", "0:3", "3:0", "10:5", ":", "a", "1-3", "1,,2", "-1", "1.5", "1:2:3", "0x10", "٣"])(
    "refuses %j",
    (text) => {
      expect(() => parseCols([text])).toThrow(/cols has /);
    },
  );

  test("refuses more expressions than a query can carry", () => {
    expect(() => parseCols([Array.from({ length: 1001 }, () => "1").join()])).toThrow(/at most 1000/);
  });

  test("reads any list of ranges back as it was written", () => {
    const range = fc
      .tuple(fc.integer({ min: 1, max: 9_999 }), fc.nat(500))
      .map(([from, more]) => ({ from, to: from + more }));
    fc.assert(
      fc.property(fc.array(range, { minLength: 1, maxLength: 50 }), (ranges) => {
        expect(parseCols([ranges.map(({ from, to }) => `${from}:${to}`).join(", ")])).toEqual(ranges);
      }),
    );
  });
});
