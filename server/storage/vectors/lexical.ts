import type { FullTextQuery, Table } from "@lancedb/lancedb";
import {
  type BestOf,
  isAnyCondition,
  isOfOrder,
  type LexicalSpace,
  type PageHit,
  type SearchScope,
  type WordConditions,
} from "../../domain/ports/vectors.ts";
import { conditional } from "./conditions.ts";
import { retryVanished } from "./conflicts.ts";
import { scopeFilter } from "./filters.ts";
import { guessesFor, partsOfUnknown } from "../../ranking/parse/guesses.ts";
import { loadLance, type Lance } from "./lance.ts";
import { eachOnce, isEmpty, ranked } from "./ranking.ts";
import { findMatching } from "./matching-rows.ts";
import { hitsPassing } from "./passing.ts";
import { bestInOrder, type InOrder, maxInOrder, orderChecker } from "../../ranking/parse/phrases.ts";
import type { RowNames } from "./row-names.ts";
import { hitsOf } from "./rows.ts";
import { countRowsOf } from "./standing.ts";
import { type TermsMemory, termsOf } from "./read-terms.ts";
import type { Tables } from "./tables.ts";
import { askedTerms, gluedTerms } from "../../ranking/terms/terms.ts";
import { createVocabulary, type KnownWords, matching } from "./vocabulary.ts";

/** What a process remembers of the tables whose words it searches. */
export interface WordMemory {
  readonly known: KnownWords;
  readonly terms: TermsMemory;
  readonly names: RowNames;
}

export async function searchLexical(
  { tables, known, terms: termsMemory, names }: WordMemory & { readonly tables: Pick<Tables, "find"> },
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
    const rows = await countRowsOf(table);
    const scale = weightOfRarest(referenceRows) / weightOfRarest(Math.max(2, rows));
    const { workspaceId } = scope;
    const vocabulary = createVocabulary(lance, { table, space, known, inMemory: termsMemory.terms, workspaceId });
    const asked = [...terms, ...(ofPages ? await partsOfUnknown(vocabulary, identifiers) : gluedTerms(text))];
    const isInOrder = orderChecker(words);
    const inOrder: InOrder = async (pages) => {
      const texts = await termsOf(termsMemory, { table, workspaceId, pages });
      return pages.filter((_, at) => isInOrder(texts[at] ?? ""));
    };
    const search = (query: readonly WeighedTerms[]): Promise<readonly PageHit[]> =>
      isAnyCondition(words)
        ? findBound(table, conditional(lance, fullText(lance, query), words), {
            scope,
            inOrder: isOfOrder(words) ? inOrder : undefined,
            also,
          })
        : findMatching({ table, names, query: fullText(lance, query) }, scope, also);
    const written = { terms: asked, weight: 1 };
    // Most questions have no slip in them, and the pages that are found have most of their words.
    const asItIs = await search([written]);
    const guesses = ofPages ? await guessesFor(vocabulary, asked, asItIs) : new Map<string, readonly string[]>();
    const guessed = Array.from(guesses.values(), (words) => ({ terms: words, weight: guessWeight }));
    const hits = guessed.length === 0 ? asItIs : await search([written, ...guessed]);
    return hits.map((hit) => ({ ...hit, score: hit.score * scale }));
  });
}

const noConditions: WordConditions = { phrases: [], without: [], withoutPhrases: [] };

/**
 * BM25 weighs a word by how rare it is, so that the same match counts more the larger the index is. Scores are given
 * as in an index of so many pages, so that they mean the same on the first day and after a year.
 */
const referenceRows = 1_000;

/** What BM25 makes of a word that only one row has (Robertson and Zaragoza, 2009, with Lucene's one added). */
const weightOfRarest = (rows: number): number => Math.log(1 + (rows - 0.5) / 1.5);

/** Terms of a query, and how much each counts. */
interface WeighedTerms {
  readonly terms: readonly string[];
  readonly weight: number;
}

/** A guess counts half. */
const guessWeight = 0.5;

function fullText(lance: Lance, asked: readonly WeighedTerms[]): FullTextQuery {
  const { BooleanQuery, Occur } = lance.lancedb;
  const parts = asked.map(({ terms, weight }) => matching(lance, terms, weight));
  const [only] = parts;
  return parts.length === 1 && only ? only : new BooleanQuery(parts.map((query) => [Occur.Should, query]));
}

interface Bound {
  readonly scope: SearchScope;
  /** Undefined: nothing is to be in order. */
  readonly inOrder: InOrder | undefined;
  readonly also: Promise<BestOf> | undefined;
}

/** The pages that meet conditions, and whose words are in order. */
async function findBound(
  table: Table,
  query: FullTextQuery,
  { scope, inOrder, also }: Bound,
): Promise<readonly PageHit[]> {
  const find = async (within: SearchScope): Promise<readonly PageHit[]> => {
    const wanted = inOrder === undefined ? within.limit : Math.max(maxInOrder, within.limit);
    const hits = await hitsPassing(within.pass, wanted, async (limit) => {
      const rows = table.query().fullTextSearch(query).where(scopeFilter(within)).select(["id", "_score"]);
      return hitsOf(await rows.limit(limit).toArrow(), "_score");
    });
    const looked = ranked(hits, wanted);
    return inOrder === undefined ? looked : bestInOrder(looked, within.limit, inOrder);
  };
  const [found, best] = await Promise.all([find(scope), also]);
  if (best === undefined || best.datasetIds.length === 0) return found;
  return eachOnce([...found, ...(await find({ ...scope, ...best }))]);
}
