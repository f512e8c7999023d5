import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findWindow, type TimeSource } from "./item-windows.ts";

const sourceOf =
  (times: readonly number[], each: number): TimeSource =>
  async ({ after, descending, count }) => {
    const counts = new Map<number, number>();
    for (const time of times) counts.set(time, (counts.get(time) ?? 0) + each);
    return [...counts]
      .map(([time, items]) => ({ time, items }))
      .toSorted((one, other) => (descending ? other.time - one.time : one.time - other.time))
      .filter(({ time }) => after === undefined || (descending ? time < after : time > after))
      .slice(0, count);
  };

const anyTimes = fc.array(fc.integer({ min: 0, max: 400 }), { maxLength: 600 });

describe("findWindow", () => {
  it("finds the stretch that reading the whole list gives", async () => {
    await fc.assert(
      fc.asyncProperty(
        anyTimes,
        anyTimes,
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        fc.integer({ min: 1, max: 50 }),
        fc.boolean(),
        async (pages, embedded, place, limit, descending) => {
          const all = [...pages.flatMap((time) => [time, time]), ...embedded].toSorted((one, other) =>
            descending ? other - one : one - other,
          );
          if (all.length === 0) return;
          const offset = Math.floor(place * all.length);
          const sources = [sourceOf(pages, 2), sourceOf(embedded, 1)];
          const { from, to, skipped } = await findWindow(sources, { total: all.length, offset, limit, descending });
          const within = all.filter((time) => time >= from && time <= to);
          expect(within.slice(skipped, skipped + limit)).toEqual(all.slice(offset, offset + limit));
          // What is skipped is less than the items of one time, so that little is read in vain.
          expect(skipped).toBeLessThan(all.filter((time) => time === all[offset]).length + 1);
        },
      ),
    );
  });

  it("counts no further than the stretch", async () => {
    const asked: number[] = [];
    const source = sourceOf(
      Array.from({ length: 10_000 }, (_, time) => time),
      1,
    );
    const counting: TimeSource = async (query) => {
      const found = await source(query);
      asked.push(found.length);
      return found;
    };
    await findWindow([counting], { total: 10_000, offset: 9_950, limit: 10, descending: false });
    expect(asked).toEqual([64]);
  });
});
