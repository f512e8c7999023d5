import type { Table } from "@lancedb/lancedb";
import type { LexicalSpace } from "../../../domain/ports/vectors.ts";
import { type Bounds, createResidents, usualBounds } from "../residents.ts";
import { readWords, type ReadWords } from "./read-words.ts";
import type { TableWords } from "./table-words.ts";

/**
 * The words of tables that are asked again and again, in memory: to look for pages there takes a tenth of what the index of the
 * table takes, and finds the same with the same scores.
 */
export interface WordsInMemory {
  /** Those of the space's table; undefined: they are not in memory. */
  of(table: Table, space: Pick<LexicalSpace, "unit">): Promise<TableWords | undefined>;
}

/** Those of 100,000 pages of 250 words each, and of their documents as a whole, with some room. */
const maxBytes = 256 * 2 ** 20;

export function createWordsInMemory(bounds: Partial<Bounds> = {}): WordsInMemory {
  const residents = createResidents<Pick<LexicalSpace, "unit">, ReadWords>({
    ...usualBounds,
    maxBytes,
    ...bounds,
    nameOf: () => "words",
    // What documents say in which order nobody asks.
    read: ({ table, key: { unit }, before, makeRoom }) =>
      readWords(table, { before, keepsTexts: unit !== "document", makeRoom }),
  });
  return { of: async (table, space) => (await residents.of(table, space))?.words };
}
