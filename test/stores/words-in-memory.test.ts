import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Table } from "@lancedb/lancedb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createRandom } from "../../bench/measuring/random.ts";
import { newDatasetId, newWorkspaceId } from "../../server/domain/ids.ts";
import { type PageHit, rowKey, type VectorStore, type WordConditions } from "../../server/domain/ports/vectors.ts";
import { openLanceVectors } from "../../server/storage/vectors/open.ts";
import { readWords } from "../../server/storage/vectors/words/read-words.ts";
import type { WordsInMemory } from "../../server/storage/vectors/words/words-in-memory.ts";
import { lexical, scope, wordsInIndex } from "./testing/vectors.ts";

const wordsInMemory: WordsInMemory = {
  of: async (table: Table) =>
    (await readWords(table, { before: undefined, keepsTexts: true, makeRoom: () => undefined }))?.words,
};

describe("words in memory and in the index", () => {
  const [workspaceId, datasets] = [newWorkspaceId(), Array.from({ length: 4 }, newDatasetId)];
  const random = createRandom(23);
  const some = "otter lynx river bank harbour ledger bankBook 1,250 ISO9001 the of and a".split(" ");
  const text = (most: number): string =>
    Array.from({ length: 1 + Math.floor(random() * most) }, () => some[Math.floor(some.length * random() ** 2)]).join(
      " ",
    );
  let url: string;
  let index: VectorStore;
  let memory: VectorStore;

  beforeAll(async () => {
    url = await mkdtemp(join(tmpdir(), "drs-vectors-"));
    index = await openLanceVectors({ url, retentionMs: 0, wordsInMemory: wordsInIndex });
    memory = await openLanceVectors({ url, retentionMs: 0, wordsInMemory });
    const pages = Array.from({ length: 800 }, (_, at) => at);
    const rows = datasets.flatMap((datasetId) =>
      pages.map((page) => ({ workspaceId, datasetId, generation: "", page, words: `otter ${text(40)}` })),
    );
    await index.putLexical(lexical, rows);
    await index.maintain();
  });
  afterAll(async () => {
    await index.close();
    await memory.close();
    await rm(url, { recursive: true });
  });

  /** Rows of equal scores are in another order where the scores differ in the seventh digit. */
  const byRow = (hits: readonly PageHit[]): Map<string, number> => new Map(hits.map((hit) => [rowKey(hit), hit.score]));

  it("find the same rows by conditions, with the same scores", async () => {
    let found = 0;
    for (let round = 0; round < 60; round++) {
      const words: WordConditions = {
        phrases: Array.from({ length: round % 3 }, () => text(3)),
        without: Array.from({ length: (round >> 1) % 3 }, () => text(2)),
        withoutPhrases: Array.from({ length: (round >> 2) % 2 }, () => text(2)),
      };
      const within = { ...scope(workspaceId, round % 4 === 0 ? datasets.slice(0, 2) : undefined, 4_000), words };
      const question = text(4);
      const [expected, actual] = await Promise.all([
        index.searchLexical(lexical, question, within),
        memory.searchLexical(lexical, question, within),
      ]);
      const [one, other] = [byRow(expected), byRow(actual)];
      expect({ question, words, rows: new Set(other.keys()) }).toEqual({ question, words, rows: new Set(one.keys()) });
      for (const [key, score] of one) expect(other.get(key)).toBeCloseTo(score, 4);
      found += one.size;
      const met = await Promise.all([index, memory].map((each) => each.meeting(lexical, words, expected, workspaceId)));
      expect(met[0]).toEqual(met[1]);
    }
    expect(found).toBeGreaterThan(1_000);
  });

  it("find the same terms on the same pages", async () => {
    let found = 0;
    for (let round = 0; round < 20; round++) {
      const question = text(1 + (round % 7));
      const hits = await index.searchLexical(lexical, question, scope(workspaceId, undefined, 200));
      const pages = [...hits, { datasetId: newDatasetId(), generation: "", page: 1 }];
      const [expected, actual] = await Promise.all(
        [index, memory].map((each) => each.findTerms(lexical, question, pages, workspaceId)),
      );
      expect(actual).toEqual(expected);
      expect(actual?.pages.at(-1)).toBeUndefined();
      found += actual?.pages.reduce((sum, page) => sum + (page?.places.length ?? 0), 0) ?? 0;
    }
    expect(found).toBeGreaterThan(1_000);
  });
});
