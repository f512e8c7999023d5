import { describe, expect, it } from "vitest";
import { encodeKinds, encodeWanted, kindDimensions, kinds } from "./kinds.ts";

const dot = (a: Float32Array, b: Float32Array | undefined): number =>
  a.reduce((sum, value, at) => sum + value * (b?.[at] ?? 0), 0);

describe("a page's kinds as a vector", () => {
  const page = encodeKinds(new Map([["table", 0.9] as const, ["photo", 0.3] as const]));

  it("have length 1, whatever they are", () => {
    const all = new Map(kinds.map((kind) => [kind, 1] as const));
    for (const vector of [page, encodeKinds(new Map()), encodeKinds(all)]) {
      expect(vector).toHaveLength(kindDimensions);
      expect(Math.hypot(...vector)).toBeCloseTo(1, 5);
    }
  });

  it("give back a kind's probability", () => {
    const score = Math.sqrt(kinds.length);
    expect(score * dot(page, encodeWanted(new Set(["table"])))).toBeCloseTo(0.9, 5);
    expect(score * dot(page, encodeWanted(new Set(["map"])))).toBeCloseTo(0, 5);
  });

  it("favour a page that shows any of several kinds asked for", () => {
    const wanted = encodeWanted(new Set(["table", "map"]));
    expect(dot(page, wanted)).toBeGreaterThan(dot(encodeKinds(new Map([["form", 0.9]])), wanted));
  });

  it("are not asked for by a query that names none", () => {
    expect(encodeWanted(new Set())).toBeUndefined();
  });
});
