import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newDatasetId, newWorkspaceId } from "../../server/domain/ids.ts";
import { rankedIn } from "../../server/ranking/testing/ranked-in.ts";
import type { ComputedPage } from "../../server/domain/ports/features.ts";
import type { PackRanking } from "../../server/domain/ports/pack-ranking.ts";
import type { VectorStore } from "../../server/domain/ports/vector-store.ts";
import { gatherCandidates } from "../../server/ranking/retrieve/gather.ts";
import { featureCodec } from "../../server/storage/features/codec.ts";
import { type LanceFolder, openLanceFolder } from "../stores/testing/lance-folder.ts";

const picture = { kind: "dense", pack: "p@1", name: "picture", dimensions: 8 } as const;
const words = { kind: "lexical", pack: "p@1", name: "words" } as const;
const kinds = { kind: "dense", pack: "p@1", name: "kinds", dimensions: 8, firstPass: "none" } as const;
const pack: PackRanking = {
  id: "p@1",
  spaces: [words, picture, kinds],
  itemSpace: "picture",
  fusion: [],
};
const [workspaceId, datasetId] = [newWorkspaceId(), newDatasetId()];
const scope = { workspaceId, datasetIds: undefined, limit: 2 };
const axis = (at: number): Float32Array => Float32Array.from({ length: 8 }, (_, index) => (index === at ? 1 : 0));

const texts = new Map([
  [4, "a harbour"],
  [6, "a harbour in winter"],
]);

let folder: LanceFolder;
let vectors: VectorStore;
beforeAll(async () => {
  folder = await openLanceFolder();
  vectors = await folder.open();
  const pages = [1, 2, 3, 4, 5, 6].map((page): ComputedPage => {
    const ofPage = page === 6 ? [] : [axis(page - 1)];
    return {
      page,
      spaces: [
        { space: "picture", kind: "dense", vectors: ofPage },
        { space: "kinds", kind: "dense", vectors: ofPage },
        { space: "words", kind: "lexical", words: texts.get(page) ?? "" },
      ],
    };
  });
  const index = { workspaceId, datasetId, generation: "" };
  await vectors.put(pack, featureCodec.make(pack.spaces, pages, index), index);
});
afterAll(() => folder.dispose());

describe("what spaces find", () => {
  it("are one for each page, its best, where a query asks a space in several ways", async () => {
    const query = [0, 3].map((at) => ({ space: "picture", kind: "dense", vectors: [axis(at)] }) as const);
    const found = rankedIn((await gatherCandidates({ pack, vectors }, query, scope)).candidates, "picture");
    expect(new Set(found.slice(0, 2).map(({ page }) => page))).toEqual(new Set([1, 4]));
    expect(found.slice(0, 2).every(({ score }) => score > 0.99)).toBe(true);
    expect(new Set(found.map(({ page }) => page)).size).toBe(found.length);
  });

  it("hold, in every dense space, the exact scores of the pages that words have found and that have vectors", async () => {
    const asked = [
      { space: "picture", kind: "dense", vectors: [axis(0)] },
      { space: "kinds", kind: "dense", vectors: [axis(3)] },
      { space: "words", kind: "lexical", text: "harbour" },
    ] as const;
    const { candidates: found } = await gatherCandidates({ pack, vectors }, asked, scope);
    const scores = (space: string) =>
      new Map(rankedIn(found, space).map(({ page, score }) => [page, Math.round(score)]));
    expect(new Set(scores("words").keys())).toEqual(new Set([4, 6]));
    expect(scores("picture").get(1)).toBe(1);
    expect(scores("picture").get(4)).toBe(0);
    expect(scores("kinds").get(4)).toBe(1);
    expect([scores("picture").has(6), scores("kinds").has(6)]).toEqual([false, false]);
  });

  it("are refused for a query that the space cannot be asked with", async () => {
    const asked = { space: "words", kind: "dense", vectors: [axis(0)] } as const;
    await expect(gatherCandidates({ pack, vectors }, [asked], scope)).rejects.toThrow(
      /dense query .* words, .* lexical/,
    );
  });

  it("are none in a space that is not searched by itself, and those of other spaces' pages beside one that is", async () => {
    const wish = { space: "kinds", kind: "dense", vectors: [axis(4)] } as const;
    const { candidates: alone } = await gatherCandidates({ pack, vectors }, [wish], scope);
    expect(alone.spaces.get("kinds")?.count).toBe(0);
    const asked = { space: "picture", kind: "dense", vectors: [axis(4)] } as const;
    const { candidates: beside } = await gatherCandidates({ pack, vectors }, [asked, wish], scope);
    const pages = rankedIn(beside, "kinds");
    expect(pages).toHaveLength(2);
    expect(pages[0]).toMatchObject({ page: 5 });
    expect(pages[0]?.score).toBeCloseTo(1, 3);
  });
});
