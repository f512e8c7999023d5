import type { Table } from "@lancedb/lancedb";
import { type Bounds, createResidents, usualBounds } from "../residents.ts";
import { readWords, type ReadWords } from "./read-words.ts";
import type { TableWords } from "./table-words.ts";

/**
 * The words of tables that are asked again and again, in memory: to look for pages there takes a tenth of what the index of the
 * table takes, and finds the same with the same scores.
 */
export interface WordsInMemory {
  /** Undefined: they are not in memory. */
  of(table: Table): Promise<TableWords | undefined>;
}

/** Those of 100,000 pages of 130 different words, and of their documents as a whole. */
const maxBytes = 192 * 2 ** 20;

export function createWordsInMemory(bounds: Partial<Bounds> = {}): WordsInMemory {
  const residents = createResidents<undefined, ReadWords>({
    ...usualBounds,
    maxBytes,
    ...bounds,
    nameOf: () => "words",
    read: ({ table, before, makeRoom }) => readWords(table, { before, makeRoom }),
  });
  return { of: async (table) => (await residents.of(table, undefined))?.words };
}
