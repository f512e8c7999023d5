import type { FullTextQuery, Table } from "@lancedb/lancedb";
import type { WorkspaceId } from "../../domain/ids.ts";
import {
  type BestOf,
  type LexicalSpace,
  type PageHit,
  rowKey,
  type SearchScope,
  type WordConditions,
} from "../../domain/ports/vectors.ts";
import { canBeCompound, partsOfCompound } from "./compounds.ts";
import { conditional, maxInOrder, rowsWithPhrases } from "./conditions.ts";
import { retryVanished } from "./conflicts.ts";
import { scopeFilter } from "./filters.ts";
import { loadLance, type Lance } from "./lance.ts";
import { eachOnce, isEmpty, ranked } from "./ranking.ts";
import { findMatching } from "./matching-rows.ts";
import { hitsPassing } from "./passing.ts";
import type { RowNames } from "./row-names.ts";
import { hitsOf } from "./rows.ts";
import { canBeMisspelt, oneSlipAway } from "./spelling.ts";
import { tableName } from "./table-names.ts";
import type { Tables } from "./tables.ts";
import { askedTerms, type Identifier, joinedNeighbours } from "./terms.ts";

/** What a process remembers of the tables whose words it searches. */
export interface WordMemory {
  readonly known: KnownWords;
  readonly names: RowNames;
}

export async function searchLexical(
  { tables, known, names }: WordMemory & { readonly tables: Pick<Tables, "find"> },
  space: LexicalSpace,
  text: string,
  scope: SearchScope,
  also?: Promise<BestOf>,
): Promise<readonly PageHit[]> {
  // It is awaited later, and may fail before.
  also?.catch(() => undefined);
  const { terms, identifiers } = askedTerms(text);
  const table = await tables.find(space);
  if (table === undefined || isEmpty(scope) || terms.length === 0) return [];
  const lance = await loadLance();
  // Of a document as a whole nothing is asked but how well it fits.
  const ofPages = space.unit !== "document";
  const words = (ofPages ? scope.words : undefined) ?? noConditions;
  return retryVanished(async () => {
    const scale = weightOfRarest(referenceRows) / weightOfRarest(Math.max(2, await table.countRows()));
    const vocabulary = vocabularyOf(lance, { table, space, known, workspaceId: scope.workspaceId });
    const asked = [...terms, ...(ofPages ? await partsOfUnknown(vocabulary, identifiers) : joinedNeighbours(text))];
    const search = (query: FullTextQuery): Promise<readonly PageHit[]> =>
      isBound(words)
        ? findBound(table, conditional(lance, query, words), { scope, phrases: words.phrases, also })
        : findMatching({ table, names, query }, scope, also);
    // Most questions have no slip in them: they are asked as they are while their words are looked up.
    const [asItIs, unknown] = await Promise.all([
      search(matching(lance, asked)),
      ofPages ? unknownWords(vocabulary, asked) : [],
    ]);
    const guesses = await guessesFor(vocabulary, unknown);
    const hits = guesses.length === 0 ? asItIs : await search(withGuesses(lance, asked, guesses));
    return hits.map((hit) => ({ ...hit, score: hit.score * scale }));
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
    const before = known.get(key);
    if (before === "there") return true;
    // Asked first: a page that is written meanwhile makes another version.
    const version = await table.version();
    if (before === version) return false;
    const isKnown = await isThere(table, matching(lance, [word]), filter);
    if (known.size >= maxKnown) known.clear();
    known.set(key, isKnown ? "there" : version);
    return isKnown;
  };
}

/** Words of a question that are looked up, and of those unknown, how many are asked for in other spellings or by their parts. */
const max = { lookedUp: 8, guessed: 2 };

/** The longest words that no page of the workspace has. */
async function unknownWords(isKnown: Vocabulary, terms: readonly string[]): Promise<readonly string[]> {
  const words = terms
    .filter((word) => canBeMisspelt(word) || canBeCompound(word))
    .toSorted((one, other) => other.length - one.length);
  const found = await Promise.all(words.slice(0, max.lookedUp).map(isKnown));
  return words.filter((_, at) => found[at] === false).slice(0, max.guessed);
}

/** What may be meant by words that no page has: the words that they are put together of, or else words one slip away. */
async function guessesFor(isKnown: Vocabulary, unknown: readonly string[]): Promise<readonly (readonly string[])[]> {
  const guesses = unknown.map(async (word) => {
    const parts = canBeCompound(word) ? await partsOfCompound(word, isKnown) : [];
    return parts.length === 0 && canBeMisspelt(word) ? oneSlipAway(word) : parts;
  });
  return (await Promise.all(guesses)).filter(({ length }) => length > 0);
}

/** The parts of identifiers that no page of the workspace has as a whole: it may have them as words. */
async function partsOfUnknown(isKnown: Vocabulary, identifiers: readonly Identifier[]): Promise<readonly string[]> {
  const some = identifiers.slice(0, max.lookedUp);
  const found = await Promise.all(some.map(({ whole }) => isKnown(whole)));
  return some.flatMap(({ parts }, at) => (found[at] === true ? [] : parts));
}

/**
 * Words that pages of a workspace have been seen to have, and those that none has in a version of the table, so that they
 * need not be looked up for every question. A word that has gone with its pages meanwhile is not corrected, which is no harm.
 */
export type KnownWords = Map<string, "there" | number>;

/** Some megabytes. */
const maxKnown = 50_000;

/** A guess counts half. */
const guessWeight = 0.5;

function withGuesses(lance: Lance, terms: readonly string[], guesses: readonly (readonly string[])[]): FullTextQuery {
  const { BooleanQuery, Occur } = lance.lancedb;
  const guessed = guesses.map((words) => matching(lance, words, guessWeight));
  return new BooleanQuery([matching(lance, terms), ...guessed].map((query) => [Occur.Should, query]));
}

/** Pages with any of the terms. A match query takes its text as terms; a plain string would be read as query syntax. */
const matching = ({ lancedb }: Lance, terms: readonly string[], boost = 1): FullTextQuery =>
  new lancedb.MatchQuery(terms.join(" "), "terms", { boost });

interface Bound {
  readonly scope: SearchScope;
  readonly phrases: readonly string[];
  readonly also: Promise<BestOf> | undefined;
}

/** The pages that meet conditions, and have the phrases. */
async function findBound(
  table: Table,
  query: FullTextQuery,
  { scope, phrases, also }: Bound,
): Promise<readonly PageHit[]> {
  const columns = ["id", "_score", ...(phrases.length === 0 ? [] : ["terms"])];
  const find = async (within: SearchScope): Promise<readonly PageHit[]> => {
    const wanted = phrases.length === 0 ? within.limit : Math.max(maxInOrder, within.limit);
    const inOrder = new Set<string>();
    const hits = await hitsPassing(within.pass, wanted, async (limit) => {
      const rows = table.query().fullTextSearch(query).where(scopeFilter(within)).select(columns);
      const found = await rows.limit(limit).toArrow();
      if (phrases.length > 0) for (const key of rowsWithPhrases(found, phrases)) inOrder.add(key);
      return hitsOf(found, "_score");
    });
    const looked = ranked(hits, wanted);
    return looked.filter((hit) => phrases.length === 0 || inOrder.has(rowKey(hit))).slice(0, within.limit);
  };
  const [found, best] = await Promise.all([find(scope), also]);
  if (best === undefined || best.datasetIds.length === 0) return found;
  return eachOnce([...found, ...(await find({ ...scope, ...best }))]);
}

/** Is there such a row? Without any of its columns, which would take as long again to read. */
async function isThere(table: Table, query: FullTextQuery, filter: string): Promise<boolean> {
  const { numRows } = await table.query().fullTextSearch(query).where(filter).select(["_score"]).limit(1).toArrow();
  return numRows > 0;
}
