import type { Table } from "@lancedb/lancedb";
import { createResidents } from "../residents.ts";
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

interface Options {
  /** Of all tables together; some 100,000 pages of 130 different words. */
  readonly maxBytes?: number;
  readonly lastingMs?: number;
}

export function createWordsInMemory({ maxBytes = 128 * 2 ** 20, lastingMs = 1_000 }: Options = {}): WordsInMemory {
  const residents = createResidents<undefined, ReadWords>({
    maxBytes,
    lastingMs,
    nameOf: () => "words",
    read: ({ table, before, makeRoom }) => readWords(table, { before, makeRoom }),
  });
  return { of: async (table) => (await residents.of(table, undefined))?.words };
}
