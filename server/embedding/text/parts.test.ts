import { assert, integer, property } from "fast-check";
import { describe, expect, it } from "vitest";
import { partsOf } from "./tokens.ts";

const size = { tokens: 128, step: 96, most: 12 };
const tokens = (length: number) => Array.from({ length }, (_, index) => index);

describe("parts of a text", () => {
  it("are none for a text no longer than one", () => {
    expect(partsOf(tokens(128), size)).toEqual([]);
    expect(partsOf(tokens(129), size)).toHaveLength(2);
    expect(partsOf(tokens(5000), { ...size, most: 1 })).toEqual([]);
  });

  it("overlap by tokens less step", () => {
    const [first = [], second = []] = partsOf(tokens(300), size);
    expect([first[0], first.at(-1), second[0]]).toEqual([0, 127, 96]);
  });

  it("cover every token, are few, and long only where they must be", () => {
    assert(
      property(integer({ min: 129, max: 20_000 }), (length) => {
        const parts = partsOf(tokens(length), size);
        expect(parts.length).toBeLessThanOrEqual(size.most);
        expect(new Set(parts.flat()).size).toBe(length);
        expect(parts.every((part) => part.length > 0)).toBe(true);
        if (length <= 12 * 96 + 32) expect(Math.max(...parts.map((part) => part.length))).toBe(128);
      }),
    );
  });
});
