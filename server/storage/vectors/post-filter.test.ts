import { array, assert, asyncProperty, boolean, integer } from "fast-check";
import { expect, test } from "vitest";
import { newDatasetId } from "../../domain/ids.ts";
import { hitsPassing } from "./post-filter.ts";

test("finds the best of the hits that pass, however few pass", async () => {
  const flags = array(boolean(), { maxLength: 400, size: "max" });
  await assert(
    asyncProperty(flags, integer({ min: 1, max: 40 }), async (isPassing, limit) => {
      const hits = isPassing.map((_, at) => ({ datasetId: newDatasetId(), page: 1, generation: "", score: -at }));
      const passed = hits.filter((_, at) => isPassing[at] === true);
      const passing = new Set(passed.map(({ datasetId }) => datasetId));
      const asked: number[] = [];
      const found = await hitsPassing(
        async (ids) => ids.intersection(passing),
        limit,
        async (wanted) => {
          asked.push(wanted);
          return hits.slice(0, wanted);
        },
      );
      expect(found.slice(0, limit)).toEqual(passed.slice(0, limit));
      // The search ends, and does not request many more hits than necessary.
      expect(asked.length).toBeLessThanOrEqual(9);
      expect(await hitsPassing(undefined, limit, async (wanted) => hits.slice(0, wanted))).toEqual(
        hits.slice(0, limit),
      );
    }),
    { numRuns: 300 },
  );
});
