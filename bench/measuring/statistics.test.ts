import { describe, expect, it } from "vitest";
import { mean, median, percentile } from "./statistics.ts";

describe("statistics", () => {
  it("take the nearest rank", () => {
    const values = [50, 10, 40, 20, 30];
    expect([0, 0.2, 0.21, 0.5, 0.99, 1].map((rank) => percentile(values, rank))).toEqual([10, 10, 20, 30, 50, 50]);
    expect(() => percentile([], 0.5)).toThrow(RangeError);
  });

  it("take the middle, or the mean of the two in the middle", () => {
    expect(median([3, 1, 2])).toBe(2);
    expect(median([4, 1, 3, 2])).toBe(2.5);
    expect(median([-7])).toBe(-7);
    expect(mean([1, 2, 6])).toBe(3);
  });
});
