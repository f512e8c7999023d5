import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { newDatasetId, newWorkspaceId } from "../../server/domain/ids.ts";
import { rankedIn } from "../../server/ranking/testing/ranked-in.ts";
import type { PackRanking } from "../../server/domain/ports/pack-ranking.ts";
import { gatherCandidates } from "../../server/ranking/retrieve/gather.ts";
import { openLanceVectors } from "../../server/storage/vectors/open.ts";

const text = { kind: "dense", pack: "p@1", name: "text", dimensions: 8 } as const;
const words = { kind: "lexical", pack: "p@1", name: "words" } as const;
const pack: PackRanking = {
  id: "p@1",
  spaces: [words, text],
  itemSpace: "text",
  fusion: [],
};

it("gives pages that only the words found their exact score among the vectors", async () => {
  const url = await mkdtemp(join(tmpdir(), "drs-vectors-"));
  const vectors = await openLanceVectors({ url });
  const [workspaceId, datasetId] = [newWorkspaceId(), newDatasetId()];
  const turned = (tilt: number) => Float32Array.from([1, tilt, 0, 0, 0, 0, 0, 0]);
  const pages = [1, 2, 3, 4, 5, 6].map((page) => ({ workspaceId, datasetId, generation: "", page }));
  await vectors.putDense(
    text,
    pages.slice(0, 5).map((page) => ({ ...page, vectors: [turned(page.page)] })),
  );
  await vectors.putLexical(
    words,
    pages.slice(4).map((page) => ({ ...page, words: "walrus" })),
  );
  const query = [
    { space: "words", kind: "lexical", text: "walrus" },
    { space: "text", kind: "dense", vectors: [turned(0)] },
  ] as const;
  const { candidates } = await gatherCandidates({ pack, vectors }, query, {
    workspaceId,
    datasetIds: undefined,
    limit: 3,
  });
  const found = rankedIn(candidates, "text");
  expect(found.map(({ page }) => page)).toEqual([1, 2, 3, 5]);
  expect(found.at(-1)?.score).toBeCloseTo(1 / Math.hypot(1, 5), 3);
  expect(new Set(rankedIn(candidates, "words").map(({ page }) => page))).toEqual(new Set([5, 6]));
  await vectors.close();
  await rm(url, { recursive: true });
});
