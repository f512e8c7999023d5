import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { newWorkspaceId } from "../../domain/ids.ts";
import type { PackRanking } from "../../domain/ports/pack-ranking.ts";
import { gatherCandidates } from "./gather.ts";

const pack: PackRanking = {
  id: "pack@1",
  spaces: [
    { pack: "pack@1", name: "words", kind: "lexical" },
    { pack: "pack@1", name: "pictures", kind: "dense", dimensions: 2 },
  ],
  itemSpace: "pictures",
  fusion: [],
};

test("a store that does not answer fails the search, and leaves no unhandled rejection", async () => {
  const away = async (): Promise<never> => {
    throw new Error("the store does not answer");
  };
  const vectors = { searchLexical: away, searchDense: away, scorePages: away, termsOf: away };
  const unhandled: unknown[] = [];
  const note = (cause: unknown): void => void unhandled.push(cause);
  process.on("unhandledRejection", note);
  try {
    const query = [
      { space: "words", kind: "lexical", text: "heron" },
      { space: "pictures", kind: "dense", vectors: [new Float32Array([1, 0])] },
    ] as const;
    const scope = { workspaceId: newWorkspaceId(), datasetIds: undefined, limit: 10 };
    for (const documents of [undefined, away()]) {
      await expect(gatherCandidates({ pack, vectors }, query, scope, documents)).rejects.toThrow("does not answer");
    }
    await setImmediate();
    expect(unhandled).toEqual([]);
  } finally {
    process.off("unhandledRejection", note);
  }
});
