import fc from "fast-check";
import { expect, it } from "vitest";
import { boundStretch } from "./item-bounds.ts";

const anyBlocks = fc.array(
  fc.record({
    times: fc.array(fc.integer({ min: 0, max: 30 }), { minLength: 1, maxLength: 6 }),
    wider: fc.tuple(fc.nat(3), fc.nat(3)),
  }),
  { minLength: 1, maxLength: 8 },
);

it("holds the whole stretch, and tells what comes before it", () => {
  fc.assert(
    fc.property(anyBlocks, fc.nat(), fc.nat(), fc.boolean(), (blocks, one, other, descending) => {
      const pages = blocks.map(({ times, wider: [earlier, later] }) => ({
        times,
        first: Math.min(...times) - earlier,
        last: Math.max(...times) + later,
        items: times.length,
      }));
      const sign = descending ? -1 : 1;
      const all = pages.flatMap(({ times }) => times).toSorted((a, b) => sign * (a - b));
      const offset = one % all.length;
      const taken = 1 + (other % (all.length - offset));
      const { from, to, passed, across } = boundStretch(pages, { offset, taken, descending });
      for (const time of all.slice(offset, offset + taken)) {
        expect(time).toBeGreaterThanOrEqual(from);
        expect(time).toBeLessThanOrEqual(to);
      }
      const isBefore = (time: number): boolean => (descending ? time > to : time < from);
      const counted = across.flatMap(({ times }) => times).filter(isBefore).length;
      expect(passed + counted).toBe(all.filter(isBefore).length);
      expect(passed + counted).toBeLessThanOrEqual(offset);
    }),
  );
});

it("needs a look at no items where pages were made one after another", () => {
  const pages = Array.from({ length: 100 }, (_, at) => ({ first: at * 10, last: at * 10 + 9, items: 1_000 }));
  for (const descending of [false, true]) {
    const { from, to, passed, across } = boundStretch(pages, { offset: 50_500, taken: 10, descending });
    expect(to - from).toBeLessThan(20);
    expect(passed).toBe(50_000);
    expect(across).toEqual([]);
  }
});
