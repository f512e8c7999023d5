import type { Table } from "@lancedb/lancedb";
import type { LexicalSpace } from "../../../domain/ports/vectors.ts";
import { fewChanges } from "../changes/few-changes.ts";
import type { TableChanges } from "../changes/table-changes.ts";
import { type Bounds, createResidents, usualBounds } from "../residents.ts";
import { followWords, readWords, type ReadWords } from "./read-words.ts";
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

/** `changes`: what tells what tables in a folder have changed. */
export function createWordsInMemory(bounds: Partial<Bounds> = {}, changes?: TableChanges): WordsInMemory {
  const residents = createResidents<Pick<LexicalSpace, "unit">, ReadWords>({
    ...usualBounds,
    maxBytes,
    ...bounds,
    nameOf: () => "words",
    async read({ table, key, before, makeRoom }) {
      const layout = await changes?.layoutOf(table);
      return readWords(table, { before, layout, keepsTexts: keepsTexts(key), makeRoom });
    },
    follow:
      changes &&
      (async ({ table, key, before, makeRoom, maxAdded }) => {
        const { layout, words } = before;
        const since = await fewChanges(changes, table, { layout, rows: words.rowCount }, maxAdded);
        return since && followWords(table, { before, keepsTexts: keepsTexts(key), makeRoom }, since);
      }),
  });
  return { of: async (table, space) => (await residents.of(table, space))?.words };
}

/** What documents say in which order nobody asks. */
const keepsTexts = ({ unit }: Pick<LexicalSpace, "unit">): boolean => unit !== "document";
