import { describe, expect, it } from "vitest";
import { kindsNamed } from "./kinds-in-query.ts";

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
