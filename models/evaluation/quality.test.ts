import { describe, expect, it } from "vitest";
import { qualityOf } from "./quality.ts";

describe("quality of rankings", () => {
  it("is 100 if every answer comes first", () => {
    const quality = qualityOf([["a"], ["b", "c", "x"]], [new Set(["a"]), new Set(["b", "c"])]);
    expect(quality).toEqual({ "nDCG@10": 100, "recall@1": 75, "recall@5": 100, "recall@10": 100, "MRR@10": 100 });
  });

  it("falls with the rank of the answer, as worked out by hand", () => {
    const { "nDCG@10": ndcg, "MRR@10": mrr, "recall@1": recall } = qualityOf([["x", "a"]], [new Set(["a"])]);
    expect(ndcg).toBeCloseTo(63.093, 3);
    expect([mrr, recall]).toEqual([50, 0]);
  });

  it("counts ten ranks and no more", () => {
    const late = "abcdefghijk".split("");
    expect(qualityOf([late], [new Set(["k"])])["recall@10"]).toBe(0);
    expect(qualityOf([late], [new Set(["j"])])["recall@10"]).toBe(100);
  });

  it("is refused for a question without an answer, which would count as a miss", () => {
    expect(() => qualityOf([["a"]], [new Set<string>()])).toThrow(/question 1 has no answer/);
  });
});
