import type { FullTextQuery, Table } from "@lancedb/lancedb";
import type { LexicalSpace, SearchedPages } from "../../../domain/ports/vectors.ts";
import type { Vocabulary } from "../../../ranking/parse/guesses.ts";
import { rowIdIn } from "../filters.ts";
import type { Lance } from "../lance.ts";
import { termsColumn } from "../layout.ts";
import { findPages } from "./matching.ts";
import { memoryOf, type TermsMemory } from "../rows/read-terms.ts";

/**
 * Caches words that were found on pages of a table, and words that no page has in a certain version of the table, so
 * that they need not be looked up for every question. If all pages with a word are removed later, the word remains,
 * which does no harm.
 */
export type KnownWords = WeakMap<Table, Map<string, "there" | number>>;

/** The caches of a process for the tables that it searches by words. */
export interface WordMemory {
  readonly known: KnownWords;
  readonly terms: TermsMemory;
}

/** Maximum number of cached words per table; they take some megabytes. */
const maxKnown = 10_000;

/** Maximum bytes of a word in the full-text index (`tables.ts`); longer words are not indexed. */
const maxWordBytes = 39;

/** Number of pages whose words are cached: the best pages for a question have most of its words. */
const maxNoted = 30;

interface SearchedTable {
  readonly table: Table;
  readonly space: LexicalSpace;
  readonly memory: WordMemory;
}

export function createVocabulary(lance: Lance, { table, space, memory }: SearchedTable): Required<Vocabulary> {
  const words = memory.known.get(table) ?? new Map<string, "there" | number>();
  memory.known.set(table, words);
  const nameOf = (word: string): string => `${space.name} ${word}`;

  function keep(word: string, found: "there" | number): void {
    if (words.size >= maxKnown) words.clear();
    words.set(nameOf(word), found);
  }

  return {
    async has(word) {
      const before = words.get(nameOf(word));
      if (before === "there") return true;
      // Read before the search, because a page that is written during the search creates another version.
      const version = await table.version();
      if (before === version) return false;
      const isKnown = await isThere(table, matching(lance, space, [word]));
      keep(word, isKnown ? "there" : version);
      return isKnown;
    },

    async note(noted, pages) {
      let unknown = noted.filter(
        (word) => words.get(nameOf(word)) !== "there" && Buffer.byteLength(word) <= maxWordBytes,
      );
      if (unknown.length === 0) return;
      const [rows, idOf] = [await memoryOf(memory.terms, space).of(table), rowIdIn(space)];
      for (const page of pages.slice(0, maxNoted)) {
        const address = rows.addresses.get(idOf(page));
        const terms = address === undefined ? undefined : rows.at(address, idOf(page));
        if (terms === undefined) continue;
        const ofPage = ` ${terms.toLowerCase()} `;
        for (const word of unknown) if (ofPage.includes(` ${word.toLowerCase()} `)) keep(word, "there");
        unknown = unknown.filter((word) => words.get(nameOf(word)) !== "there");
        if (unknown.length === 0) return;
      }
    },
  };
}

/**
 * Returns the words of the workspace, or only those of the searched pages if the search has statistics of its scope.
 */
export const vocabularyOf = (lance: Lance, searchedTable: SearchedTable, searched: SearchedPages): Vocabulary =>
  searched.statistics === "scope"
    ? vocabularyWithin(lance, searchedTable, searched)
    : createVocabulary(lance, searchedTable);

/** Returns the words of the searched pages. They are not cached, because other callers may see other pages. */
const vocabularyWithin = (
  lance: Lance,
  { table, space }: Pick<SearchedTable, "table" | "space">,
  searched: SearchedPages,
): Vocabulary => ({
  async has(word) {
    return (await findPages(table, matching(lance, space, [word]), { ...searched, limit: 1 })).length > 0;
  },
});

/**
 * Builds a query for pages with any of the terms. A match query takes its text as terms, whereas a plain string is
 * parsed.
 */
export const matching = ({ lancedb }: Lance, space: LexicalSpace, terms: readonly string[], boost = 1): FullTextQuery =>
  new lancedb.MatchQuery(terms.join(" "), termsColumn(space), { boost });

/** Whether any row matches. No column of the row is selected, because reading it would double the time. */
async function isThere(table: Table, query: FullTextQuery): Promise<boolean> {
  const { numRows } = await table.query().fullTextSearch(query).select(["_score"]).limit(1).toArrow();
  return numRows > 0;
}
