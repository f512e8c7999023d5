import { describe, expect, it } from "vitest";
import { bounded, oneTable } from "./partitions.ts";
import { makeOrganisations } from "./tenants.ts";

const total = 3_000_017;
const organisations = makeOrganisations(500, total, 1);
const sum = (values: readonly { readonly pages: number }[]): number =>
  values.reduce((all, { pages }) => all + pages, 0);

describe("organisations", () => {
  it("have all pages together, and the second half as many as the first", () => {
    expect(sum(organisations)).toBe(total);
    const [first, second] = organisations;
    expect((first?.pages ?? 0) / (second?.pages ?? 1)).toBeCloseTo(2, 1);
    expect(Math.min(...organisations.map(({ pages }) => pages))).toBeGreaterThan(0);
  });

  it("are refused if there are more of them than pages", () => {
    expect(() => makeOrganisations(10, 5, 1)).toThrow(RangeError);
  });
});

describe("tables of vectors", () => {
  it.each([
    ["one", oneTable(organisations), total],
    ["bounded", bounded(organisations, 50_000), 50_000],
  ] as const)("%s: no page is lost or doubled, and none is too large", (_, layout, maxPages) => {
    expect(sum(layout.partitions)).toBe(total);
    expect(Math.max(...layout.partitions.map(({ pages }) => pages))).toBeLessThanOrEqual(maxPages);
    const asked = new Set(layout.ofOrganisation.flat());
    expect(asked.size).toBe(layout.partitions.length);
  });

  it("of one organisation hold its pages and no others; small ones share without being split", () => {
    const { partitions, ofOrganisation } = bounded(organisations, 50_000);
    for (const [index, places] of ofOrganisation.entries()) {
      const own = places.map((place) => partitions[place] ?? { pages: 0, organisations: 0 });
      const pages = organisations[index]?.pages ?? 0;
      if (pages <= 50_000) expect(places).toHaveLength(1);
      else {
        expect(own.every((partition) => partition.organisations === 1)).toBe(true);
        expect(sum(own)).toBe(pages);
      }
    }
  });
});
