import type { FullTextQuery, Table } from "@lancedb/lancedb";
import type { WorkspaceId } from "../../domain/ids.ts";
import type { LexicalSpace } from "../../domain/ports/vectors.ts";
import type { Vocabulary } from "../../ranking/parse/guesses.ts";
import { rowId, scopeFilter } from "./filters.ts";
import type { Lance } from "./lance.ts";
import type { TermsInMemory } from "./read-terms.ts";
import { versionOf } from "./standing.ts";
import { tableName } from "./table-names.ts";

/**
 * Words that pages of a workspace have been seen to have, and those that none has in a version of the table, so that they
 * need not be looked up for every question. A word that has gone with its pages meanwhile is not corrected, which is no harm.
 */
export type KnownWords = Map<string, "there" | number>;

/** Some megabytes. */
const maxKnown = 50_000;

/** Bytes; the full-text index leaves out longer words (`tables.ts`). */
const maxWordBytes = 39;

/** The best pages of a question have most of its words. */
const maxNoted = 30;

interface Asked {
  readonly table: Table;
  readonly space: LexicalSpace;
  readonly known: KnownWords;
  readonly inMemory: TermsInMemory;
  readonly workspaceId: WorkspaceId;
}

export function createVocabulary(lance: Lance, { table, space, known, inMemory, workspaceId }: Asked): Vocabulary {
  const filter = scopeFilter({ workspaceId, datasetIds: undefined, limit: 1 });
  const nameOf = (word: string): string => `${tableName(space)} ${workspaceId} ${word}`;

  function keep(word: string, found: "there" | number): void {
    if (known.size >= maxKnown) known.clear();
    known.set(nameOf(word), found);
  }

  return {
    async has(word) {
      const before = known.get(nameOf(word));
      if (before === "there") return true;
      // Asked first: a page that is written meanwhile makes another version.
      const version = await versionOf(table);
      if (before === version) return false;
      const isKnown = await isThere(table, matching(lance, [word]), filter);
      keep(word, isKnown ? "there" : version);
      return isKnown;
    },

    async note(words, pages) {
      let unknown = words.filter(
        (word) => known.get(nameOf(word)) !== "there" && Buffer.byteLength(word) <= maxWordBytes,
      );
      if (unknown.length === 0) return;
      const rows = await inMemory.of(table);
      const addresses = rows.addressesOf(workspaceId);
      for (const page of pages.slice(0, maxNoted)) {
        const address = addresses.get(rowId(page));
        const terms = address === undefined ? undefined : rows.at(address, rowId(page));
        if (terms === undefined) continue;
        const ofPage = ` ${terms.toLowerCase()} `;
        for (const word of unknown) if (ofPage.includes(` ${word.toLowerCase()} `)) keep(word, "there");
        unknown = unknown.filter((word) => known.get(nameOf(word)) !== "there");
        if (unknown.length === 0) return;
      }
    },
  };
}

/** Pages with any of the terms. A match query takes its text as terms; a plain string would be read as query syntax. */
export const matching = ({ lancedb }: Lance, terms: readonly string[], boost = 1): FullTextQuery =>
  new lancedb.MatchQuery(terms.join(" "), "terms", { boost });

/** Is there such a row? Without any of its columns, which would take as long again to read. */
async function isThere(table: Table, query: FullTextQuery, filter: string): Promise<boolean> {
  const { numRows } = await table.query().fullTextSearch(query).where(filter).select(["_score"]).limit(1).toArrow();
  return numRows > 0;
}
