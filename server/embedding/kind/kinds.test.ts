import { describe, expect, it } from "vitest";
import { encodeKinds, encodeWanted, kindDimensions, kinds, kindsNamed } from "./kinds.ts";

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

describe("the kinds that a query names", () => {
  it.each<[string, string[]]>([
    ["bar chart of sales by region", ["bar-chart"]],
    ["histogram of ages", ["bar-chart"]],
    ["line graph of temperature", ["line-graph"]],
    ["chart of unemployment since 1990", ["bar-chart", "line-graph"]],
    ["table of package names and sizes", ["table"]],
    ["which table lists the escape sequences?", ["table"]],
    ["map of Germany", ["map"]],
    ["photo of the founder", ["photo"]],
    ["application form for a passport", ["form"]],
    ["flow chart of the build", ["diagram", "drawing"]],
    ["drawing of a steam engine", ["drawing"]],
    ["Tabelle der Einwohnerzahlen", ["table"]],
    ["Karte von Bayern", ["map"]],
    ["tableau des prix", ["table"]],
    ["mapa de Sevilla", ["map"]],
    ["fotografia della piazza", ["photo"]],
  ])("%s", (query, expected) => {
    expect([...kindsNamed(query)].toSorted()).toEqual(expected.toSorted());
  });

  it.each([
    "",
    "form of government in Athens",
    "in the form of a list",
    "table of contents",
    "to map a function over a list",
    "how do I plot my data",
    "drawing conclusions from experiments",
    "what is a stable sort",
    "unable to charter a ship",
  ])("are none in: %s", (query) => {
    expect([...kindsNamed(query)]).toEqual([]);
  });

  it("are found at once in a query as long as may be", () => {
    expect(kindsNamed(`${"a form ".repeat(20_000)}of`).size).toBe(1);
  });
});
