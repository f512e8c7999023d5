import type { Table } from "@lancedb/lancedb";
import type { LexicalSpace, PageHit } from "../../domain/ports/vectors.ts";
import { findInTexts } from "../../ranking/terms/find-in-texts.ts";
import { ranked } from "./ranking.ts";
import { termsOf, type TermsMemory } from "./read-terms.ts";

/** Terms of a query, and their weight. */
export interface WeighedTerms {
  readonly terms: readonly string[];
  readonly weight: number;
}

/** The table and the cache from which pages are read. */
export interface PageReader {
  readonly table: Table;
  readonly memory: TermsMemory;
  readonly space: LexicalSpace;
}

/** The usual parameters (Robertson and Zaragoza, "The Probabilistic Relevance Framework", 2009). */
const [k1, b] = [1.2, 0.75];
/** Number of terms of a usual row. A mean over the pages that are read would differ for each question. */
const usualLength = { page: 400, document: 1_000 };

/** The weight of a word that `having` of the rows have; with Lucene's one added, so that it is never negative. 0 without rows. */
export const idfOf = (having: number, rows: number): number =>
  having === 0 ? 0 : Math.log1p((Math.max(rows, having) - having + 0.5) / (having + 0.5));

/** Ranks pages by BM25, best first, without pages that have none of the terms. `parts` are terms with their final weights. */
export async function scoreByTerms(
  reader: PageReader,
  parts: readonly WeighedTerms[],
  pages: readonly PageHit[],
): Promise<readonly PageHit[]> {
  const read = await countTerms(reader, parts, pages);
  const usual = usualLength[reader.space.unit ?? "page"];
  const scored = pages.map((page, at) => {
    const { length = 0, counts = [] } = read[at] ?? {};
    const long = k1 * (1 - b + (b * length) / usual);
    const scores = counts.map(({ part, count }) => ((parts[part]?.weight ?? 0) * count * (k1 + 1)) / (count + long));
    return { ...page, score: scores.reduce((sum, score) => sum + score, 0) };
  });
  return ranked(scored, scored.length).filter(({ score }) => score > 0);
}

interface CountedTerms {
  /** Number of all terms of the page. */
  readonly length: number;
  /** The part of each term that the page has, and its frequency on the page. */
  readonly counts: readonly { readonly part: number; readonly count: number }[];
}

/** Counts the terms on pages. A page that has been removed meanwhile has none. */
export async function countTerms(
  { table, memory, space }: PageReader,
  parts: readonly Pick<WeighedTerms, "terms">[],
  pages: readonly PageHit[],
): Promise<readonly CountedTerms[]> {
  const texts = await termsOf(memory, space, { table, pages });
  const [terms, partOf] = [parts.flatMap((part) => part.terms), parts.flatMap((part, at) => part.terms.map(() => at))];
  return findInTexts(terms, texts).map((page) => {
    const counts = Map.groupBy(page?.asked ?? [], (term) => term);
    return {
      length: page?.length ?? 0,
      counts: Array.from(counts, ([term, { length: count }]) => ({ part: partOf[term] ?? 0, count })),
    };
  });
}
