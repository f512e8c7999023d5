import { setTimeout as sleep } from "node:timers/promises";
import { noProperties } from "../../../server/domain/documents/properties.ts";
import type { PackRanking } from "../../../server/domain/ports/pack-ranking.ts";
import type { DenseSpace, LexicalSpace } from "../../../server/domain/ports/vectors.ts";
import type { PageInSpace } from "../../../server/domain/ports/features.ts";
import type { PagePool } from "../../../server/pipeline/threads/pool.ts";
import type { IsolatedRetries } from "../../../server/pipeline/process/isolated-retry/trials.ts";

/** A word that every page has, so that one search finds all rows that there are. */
export const everyPage = "everywhere";

export const packId = "claims@1.0.0";
export const words: LexicalSpace = { kind: "lexical", pack: packId, name: "words" };
export const dense: DenseSpace = { kind: "dense", pack: packId, name: "meaning", dimensions: 4 };

/** A pack with both kinds of spaces; nothing is ranked with it. */
export const pack: PackRanking = {
  id: packId,
  spaces: [words, dense],
  itemSpace: dense.name,
  fusion: [],
};

/**
 * Opens documents that are nothing but their number of pages. It waits between pages, so that anything can come between
 * two of them; `gate` holds it up while its worker is paused.
 */
export function openDocuments(pagesIn: (file: string) => Promise<number>, gate: () => Promise<void>) {
  const between = async (): Promise<void> => {
    await sleep(1);
    await gate();
  };
  const read = (page: number) => ({ page, width: 1, height: 1, words: `${everyPage} page${page}` });
  const embed = (page: number): { page: number; spaces: PageInSpace[] } => ({
    page,
    spaces: [
      { space: words.name, kind: "lexical", words: `${everyPage} page${page}` },
      { space: dense.name, kind: "dense", vectors: [Float32Array.of(1, page, 0, 0)] },
    ],
  });
  const unasked = () => Promise.reject(new Error("not asked for"));
  const countPages = async (file: string): Promise<number> => {
    await between();
    return pagesIn(file);
  };
  const pool: PagePool = {
    countPages,
    readProperties: async () => noProperties,
    async readPages({ pages }, on, signal) {
      for (const page of pages) {
        signal?.throwIfAborted();
        await on.start([page]);
        await between();
        await on.page(read(page));
      }
    },
    async embedPages({ pages }, on, signal) {
      for (const { page } of pages) {
        signal?.throwIfAborted();
        await on.start([page]);
        await between();
        await on.page(embed(page));
      }
    },
    renderPage: unasked,
    highlightPage: unasked,
    embedQuery: unasked,
    tryPack: unasked,
    finishPages: () => undefined,
    renew: async () => undefined,
    close: async () => undefined,
  };
  const trials: IsolatedRetries = {
    countPages,
    async readPage({ page }) {
      await between();
      return read(page);
    },
    async embedPage({ page }) {
      await between();
      return embed(page);
    },
    renderPage: unasked,
    close: async () => undefined,
  };
  return { pool, trials };
}
