import { array, assert, asyncProperty, boolean, integer } from "fast-check";
import { expect, test } from "vitest";
import { newDatasetId, newWorkspaceId } from "../ids.ts";
import { rowKey, type PageHit, type PageKey, type SearchScope } from "../ports/vectors.ts";
import { within } from "./within.ts";

const workspaceId = newWorkspaceId();
const lexical = { kind: "lexical", pack: "p@1", name: "words" } as const;
const dense = { kind: "dense", pack: "p@1", name: "text", dimensions: 2 } as const;

/** An index of pages, best first, each of a dataset of its own. */
function indexOf(hits: readonly PageHit[]) {
  const best = ({ limit }: SearchScope) => hits.slice(0, limit);
  return {
    searchLexical: async (_space: unknown, _text: string, scope: SearchScope) => best(scope),
    async searchDense(_space: unknown, _query: unknown, scope: SearchScope, also?: Promise<readonly PageKey[]>) {
      const wanted = new Set([...best(scope), ...((await also) ?? [])].map(rowKey));
      return hits.filter((hit) => wanted.has(rowKey(hit)));
    },
  };
}

test("what is found is the best of what passes, however few those are", async () => {
  const passing = array(boolean(), { maxLength: 400, size: "max" });
  await assert(
    asyncProperty(passing, integer({ min: 1, max: 40 }), async (flags, limit) => {
      const hits = flags.map((_, at) => ({ datasetId: newDatasetId(), page: 1, generation: "", score: -at }));
      const passed = hits.filter((_, at) => flags[at] === true);
      const passedIds = new Set(passed.map(({ datasetId }) => datasetId));
      const index = within(indexOf(hits), async (ids) => new Set(ids.filter((id) => passedIds.has(id))));
      const scope = { workspaceId, datasetIds: undefined, limit };
      expect(await index.searchLexical(lexical, "x", scope)).toEqual(passed.slice(0, limit));
      expect(await index.searchDense(dense, new Float32Array(2), scope)).toEqual(passed.slice(0, limit));
      const also = passed.slice(-2);
      const found = await index.searchDense(dense, new Float32Array(2), scope, Promise.resolve(also));
      expect(found).toEqual(passed.filter((hit, at) => at < limit || also.includes(hit)));
    }),
    { numRuns: 300 },
  );
});
