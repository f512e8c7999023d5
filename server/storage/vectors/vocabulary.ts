import type { FullTextQuery, Table } from "@lancedb/lancedb";
import type { LexicalSpace, SearchedPages } from "../../domain/ports/vectors.ts";
import type { Vocabulary } from "../../ranking/parse/guesses.ts";
import { rowIdIn } from "./filters.ts";
import type { Lance } from "./lance.ts";
import { termsColumn } from "./layout.ts";
import { findPages } from "./matching.ts";
import { memoryOf, type TermsMemory } from "./read-terms.ts";

/**
 * Words that pages of a table have been seen to have, and those that none has in a version of the table, so that they
 * need not be looked up for every question. A word that has gone with its pages meanwhile is not corrected, which is no harm.
 */
export type KnownWords = WeakMap<Table, Map<string, "there" | number>>;

/** What a process remembers of the tables whose words it searches. */
export interface WordMemory {
  readonly known: KnownWords;
  readonly terms: TermsMemory;
}

/** Of a table; some megabytes. */
const maxKnown = 10_000;

/** Bytes; the full-text index leaves out longer words (`tables.ts`). */
const maxWordBytes = 39;

/** The best pages of a question have most of its words. */
const maxNoted = 30;

interface Asked {
  readonly table: Table;
  readonly space: LexicalSpace;
  readonly memory: WordMemory;
}

export function createVocabulary(lance: Lance, { table, space, memory }: Asked): Required<Vocabulary> {
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
      // Asked first: a page that is written meanwhile makes another version.
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

/** The words of the workspace, or those that a search sees where its statistics are of these. */
export const vocabularyOf = (lance: Lance, asked: Asked, searched: SearchedPages): Vocabulary =>
  searched.statistics === "scope" ? vocabularyWithin(lance, asked, searched) : createVocabulary(lance, asked);

/** Nothing of it is remembered: other callers see other pages. */
const vocabularyWithin = (
  lance: Lance,
  { table, space }: Pick<Asked, "table" | "space">,
  searched: SearchedPages,
): Vocabulary => ({
  async has(word) {
    return (await findPages(table, matching(lance, space, [word]), { ...searched, limit: 1 })).length > 0;
  },
});

/** Pages with any of the terms. A match query takes its text as terms; a plain string would be read as query syntax. */
export const matching = ({ lancedb }: Lance, space: LexicalSpace, terms: readonly string[], boost = 1): FullTextQuery =>
  new lancedb.MatchQuery(terms.join(" "), termsColumn(space), { boost });

/** Is there such a row? Without any of its columns, which would take as long again to read. */
async function isThere(table: Table, query: FullTextQuery): Promise<boolean> {
  const { numRows } = await table.query().fullTextSearch(query).select(["_score"]).limit(1).toArrow();
  return numRows > 0;
}
