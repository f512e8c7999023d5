import type { FullTextQuery, Table } from "@lancedb/lancedb";
import type { WorkspaceId } from "../../domain/ids.ts";
import {
  type LexicalSpace,
  type PageHit,
  rowKey,
  type SearchScope,
  type WordConditions,
} from "../../domain/ports/vectors.ts";
import { conditional, maxInOrder, rowsWithPhrases } from "./conditions.ts";
import { retryVanished } from "./conflicts.ts";
import { scopeFilter } from "./filters.ts";
import { loadLance, type Lance } from "./lance.ts";
import { isEmpty, ranked } from "./ranking.ts";
import { hitsOf } from "./rows.ts";
import { canBeMisspelt, oneSlipAway } from "./spelling.ts";
import { tableName } from "./table-names.ts";
import type { Tables } from "./tables.ts";
import { askedTerms, type Identifier } from "./terms.ts";

export async function searchLexical(
  { tables, known }: { readonly tables: Tables; readonly known: KnownWords },
  space: LexicalSpace,
  text: string,
  scope: SearchScope,
): Promise<readonly PageHit[]> {
  const { terms, identifiers } = askedTerms(text);
  const table = await tables.find(space);
  if (table === undefined || isEmpty(scope) || terms.length === 0) return [];
  const lance = await loadLance();
  const { workspaceId, limit } = scope;
  // Of a document as a whole nothing is asked but how well it fits.
  const ofPages = space.unit !== "document";
  const words = (ofPages ? scope.words : undefined) ?? noConditions;
  return retryVanished(async () => {
    const scale = weightOfRarest(referenceRows) / weightOfRarest(Math.max(2, await table.countRows()));
    const vocabulary = vocabularyOf(lance, { table, space, known, workspaceId });
    const asked = ofPages ? [...terms, ...(await partsOfUnknown(vocabulary, identifiers))] : terms;
    const search = (query: FullTextQuery) =>
      isBound(words)
        ? findBound(table, conditional(lance, query, words), scope, words.phrases)
        : find(table, query, scope);
    // Most questions have no slip in them: they are asked as they are while their words are looked up.
    const [asItIs, unknown] = await Promise.all([
      search(matching(lance, asked)),
      ofPages ? unknownWords(vocabulary, asked) : [],
    ]);
    const hits = unknown.length === 0 ? asItIs : await search(withCorrections(lance, asked, unknown));
    return ranked(
      hits.map((hit) => ({ ...hit, score: hit.score * scale })),
      limit,
    );
  });
}

const noConditions: WordConditions = { phrases: [], without: [] };
const isBound = ({ phrases, without }: WordConditions): boolean => phrases.length > 0 || without.length > 0;

/**
 * BM25 weighs a word by how rare it is, so that the same match counts more the larger the index is. Scores are given
 * as in an index of so many pages, so that they mean the same on the first day and after a year.
 */
const referenceRows = 1_000;

/** What BM25 makes of a word that only one row has (Robertson and Zaragoza, 2009, with Lucene's one added). */
const weightOfRarest = (rows: number): number => Math.log(1 + (rows - 0.5) / 1.5);

interface Asked {
  readonly table: Table;
  readonly space: LexicalSpace;
  readonly known: KnownWords;
  readonly workspaceId: WorkspaceId;
}

/**
 * Whether a page of the workspace has the word. What other workspaces have must not matter, and what the datasets asked
 * for have should not.
 */
type Vocabulary = (word: string) => Promise<boolean>;

function vocabularyOf(lance: Lance, { table, space, known, workspaceId }: Asked): Vocabulary {
  const filter = scopeFilter({ workspaceId, datasetIds: undefined, limit: 1 });
  return async (word) => {
    const key = `${tableName(space)} ${workspaceId} ${word}`;
    if (known.has(key)) return true;
    if (!(await isThere(table, matching(lance, [word]), filter))) return false;
    if (known.size >= maxKnown) known.clear();
    known.add(key);
    return true;
  };
}

/** Words of a question that are looked up, and of those unknown, how many are asked for in other spellings. */
const max = { lookedUp: 8, corrected: 2 };

/** The longest words that no page of the workspace has. */
async function unknownWords(isKnown: Vocabulary, terms: readonly string[]): Promise<readonly string[]> {
  const words = terms.filter(canBeMisspelt).toSorted((one, other) => other.length - one.length);
  const found = await Promise.all(words.slice(0, max.lookedUp).map(isKnown));
  return words.filter((_, at) => found[at] === false).slice(0, max.corrected);
}

/** The parts of identifiers that no page of the workspace has as a whole: it may have them as words. */
async function partsOfUnknown(isKnown: Vocabulary, identifiers: readonly Identifier[]): Promise<readonly string[]> {
  const some = identifiers.slice(0, max.lookedUp);
  const found = await Promise.all(some.map(({ whole }) => isKnown(whole)));
  return some.flatMap(({ parts }, at) => (found[at] === true ? [] : parts));
}

/**
 * Words that pages of a workspace have been seen to have, so that they need not be looked up for every question. A word
 * that has gone with its pages meanwhile is not corrected, which is no harm.
 */
export type KnownWords = Set<string>;

/** Some megabytes. */
const maxKnown = 50_000;

/** A correction is a guess: it counts half. */
const correctionWeight = 0.5;

function withCorrections(lance: Lance, terms: readonly string[], unknown: readonly string[]): FullTextQuery {
  const { BooleanQuery, Occur } = lance.lancedb;
  const corrections = unknown.map((word) => matching(lance, oneSlipAway(word), correctionWeight));
  return new BooleanQuery([matching(lance, terms), ...corrections].map((query) => [Occur.Should, query]));
}

/** Pages with any of the terms. A match query takes its text as terms; a plain string would be read as query syntax. */
const matching = ({ lancedb }: Lance, terms: readonly string[], boost = 1): FullTextQuery =>
  new lancedb.MatchQuery(terms.join(" "), "terms", { boost });

async function find(table: Table, query: FullTextQuery, scope: SearchScope): Promise<readonly PageHit[]> {
  const rows = table.query().fullTextSearch(query).where(scopeFilter(scope)).select(["id", "_score"]);
  return hitsOf(await rows.limit(scope.limit).toArrow(), "_score");
}

/** The same among pages that have the phrases. */
async function findBound(
  table: Table,
  query: FullTextQuery,
  scope: SearchScope,
  phrases: readonly string[],
): Promise<readonly PageHit[]> {
  if (phrases.length === 0) return find(table, query, scope);
  const rows = table.query().fullTextSearch(query).where(scopeFilter(scope)).select(["id", "_score", "terms"]);
  const found = await rows.limit(Math.max(maxInOrder, scope.limit)).toArrow();
  const inOrder = rowsWithPhrases(found, phrases);
  return hitsOf(found, "_score").filter((hit) => inOrder.has(rowKey(hit)));
}

/** Is there such a row? Without any of its columns, which would take as long again to read. */
async function isThere(table: Table, query: FullTextQuery, filter: string): Promise<boolean> {
  const { numRows } = await table.query().fullTextSearch(query).where(filter).select(["_score"]).limit(1).toArrow();
  return numRows > 0;
}
