import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mergeRanges } from "./ranges.ts";

describe("mergeRanges", () => {
  it("merges what overlaps or touches, and bounds what is open", () => {
    expect(
      mergeRanges([
        { from: 16, to: Number.POSITIVE_INFINITY },
        { from: 6, to: 10 },
        { from: 0, to: 2 },
        { from: 3, to: 3 },
        { from: 9, to: 8 },
      ]),
    ).toEqual([
      { from: 1, to: 3 },
      { from: 6, to: 10 },
      { from: 16, to: 2_147_483_647 },
    ]);
  });

  it("keeps the set of pages, in ascending ranges with gaps between them", () => {
    const page = fc.integer({ min: 1, max: 60 });
    const ranges = fc.array(fc.record({ from: page, to: page }), { maxLength: 20 });
    fc.assert(
      fc.property(ranges, page, (given, wanted) => {
        const merged = mergeRanges(given);
        const has = (list: typeof given) => list.some(({ from, to }) => from <= wanted && wanted <= to);
        expect(has(merged)).toBe(has(given));
        for (const [index, range] of merged.entries()) {
          expect(range.from).toBeGreaterThan((merged[index - 1]?.to ?? -1) + 1);
        }
      }),
    );
  });
});
