import type { FullTextQuery, Table } from "@lancedb/lancedb";
import {
  type BestOf,
  isAnyCondition,
  isOfOrder,
  type LexicalSpace,
  type PageHit,
  type SearchScope,
  type WordConditions,
} from "../../../domain/ports/vectors.ts";
import { guessesFor, partsOfUnknown } from "../../../ranking/parse/guesses.ts";
import { type InOrder, orderChecker } from "../../../ranking/parse/phrases.ts";
import { queryTerms, gluedTerms } from "../../../ranking/terms/terms.ts";
import { conditional } from "./conditions.ts";
import { loadLance, type Lance } from "../lance.ts";
import { countRows } from "../rows/read-rows.ts";
import { findMatching } from "./matching.ts";
import { isEmpty } from "../ranking.ts";
import { termsOf } from "../rows/read-terms.ts";
import { type Searched, searchWithin, type WeighedTerms } from "./scope-statistics.ts";
import { matching, vocabularyOf, type WordMemory } from "./vocabulary.ts";

export async function searchLexical(
  { table, ...memory }: WordMemory & { readonly table: Table },
  space: LexicalSpace,
  text: string,
  scope: SearchScope,
  also?: Promise<BestOf>,
): Promise<readonly PageHit[]> {
  const { terms, identifiers } = queryTerms(text);
  if (isEmpty(scope) || terms.length === 0) return [];
  const lance = await loadLance();
  // Conditions, parts of words and guesses apply only to pages; documents are only scored.
  const ofPages = space.unit !== "document";
  const words = (ofPages ? scope.words : undefined) ?? noConditions;
  const vocabulary = vocabularyOf(lance, { table, space, memory }, scope);
  const asked = [...terms, ...(ofPages ? await partsOfUnknown(vocabulary, identifiers) : gluedTerms(text))];
  const queryOf = (weighed: readonly WeighedTerms[]): FullTextQuery => {
    const anyOf = fullText(lance, space, weighed);
    return isAnyCondition(words) ? conditional(lance, space, anyOf, words) : anyOf;
  };
  const isInOrder = orderChecker(words);
  const keepInOrder: InOrder = async (pages) => {
    const texts = await termsOf(memory.terms, space, { table, pages });
    return pages.filter((_, at) => isInOrder(texts[at] ?? ""));
  };
  const inOrder = isOfOrder(words) ? keepInOrder : undefined;
  const search = async (weighed: readonly WeighedTerms[]): Promise<Searched> => {
    if (scope.statistics === "scope") {
      return searchWithin({ table, memory: memory.terms, space, inOrder, queryOf }, weighed, scope, also);
    }
    const hits = await findMatching({ table, query: queryOf(weighed), inOrder }, scope, also);
    return { hits, rows: await countRows(table, !ofPages) };
  };
  const written = { terms: asked, weight: 1 };
  // Most questions have no typing errors, and the pages found for them have most of their words.
  const asItIs = await search([written]);
  const guesses = ofPages ? await guessesFor(vocabulary, asked, asItIs.hits) : new Map<string, readonly string[]>();
  const guessed = Array.from(guesses.values(), (one) => ({ terms: one, weight: guessWeight }));
  const { hits, rows } = guessed.length === 0 ? asItIs : await search([written, ...guessed]);
  const scale = weightOfRarest(referenceRows) / weightOfRarest(Math.max(2, rows));
  return hits.map((hit) => ({ ...hit, score: hit.score * scale }));
}

const noConditions: WordConditions = { phrases: [], without: [], withoutPhrases: [] };

/**
 * Scores are scaled to those of an index with this number of rows. BM25 weights a word by its rarity, so without
 * scaling the same match would score higher in a larger index, and scores would change their meaning as the index
 * grows.
 */
const referenceRows = 1_000;

/**
 * Returns the BM25 weight of a word that only one row has (Robertson and Zaragoza, 2009, with one added as in Lucene).
 */
const weightOfRarest = (rows: number): number => Math.log(1 + (rows - 0.5) / 1.5);

/** The weight of guessed words. */
const guessWeight = 0.5;

function fullText(lance: Lance, space: LexicalSpace, asked: readonly WeighedTerms[]): FullTextQuery {
  const { BooleanQuery, Occur } = lance.lancedb;
  const parts = asked.map(({ terms, weight }) => matching(lance, space, terms, weight));
  const [only] = parts;
  return parts.length === 1 && only ? only : new BooleanQuery(parts.map((query) => [Occur.Should, query]));
}
