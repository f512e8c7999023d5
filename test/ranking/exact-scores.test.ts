import { expect, it } from "vitest";
import { newDatasetId, newWorkspaceId } from "../../server/domain/ids.ts";
import { rankedIn } from "../../server/ranking/testing/ranked-in.ts";
import type { ComputedPage } from "../../server/domain/ports/features.ts";
import type { PackRanking } from "../../server/domain/ports/pack-ranking.ts";
import { gatherCandidates } from "../../server/ranking/retrieve/gather.ts";
import { featureCodec } from "../../server/storage/features/codec.ts";
import { openLanceFolder } from "../stores/testing/lance-folder.ts";

const text = { kind: "dense", pack: "p@1", name: "text", dimensions: 8 } as const;
const words = { kind: "lexical", pack: "p@1", name: "words" } as const;
const pack: PackRanking = {
  id: "p@1",
  spaces: [words, text],
  itemSpace: "text",
  fusion: [],
};

it("gives pages that only the words found their exact score among the vectors", async () => {
  const folder = await openLanceFolder();
  const vectors = await folder.open();
  const [workspaceId, datasetId] = [newWorkspaceId(), newDatasetId()];
  const turned = (tilt: number) => Float32Array.from([1, tilt, 0, 0, 0, 0, 0, 0]);
  const pages = [1, 2, 3, 4, 5, 6].map((page): ComputedPage => ({
    page,
    spaces: [
      { space: "text", kind: "dense", vectors: page < 6 ? [turned(page)] : [] },
      { space: "words", kind: "lexical", words: page > 4 ? "walrus" : "" },
    ],
  }));
  const index = { workspaceId, datasetId, generation: "" };
  await vectors.put(pack, featureCodec.make(pack.spaces, pages, index), index);
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
  await folder.dispose();
});
