import type { Table } from "@lancedb/lancedb";
import type { LexicalSpace, PageHit } from "../../domain/ports/vectors.ts";
import { findInTexts } from "../../ranking/terms/find-in-texts.ts";
import { ranked } from "./ranking.ts";
import { termsOf, type TermsMemory } from "./read-terms.ts";

/** Terms of a query, and how much each counts. */
export interface WeighedTerms {
  readonly terms: readonly string[];
  readonly weight: number;
}

/** Where pages are read. */
export interface PageReader {
  readonly table: Table;
  readonly memory: TermsMemory;
  readonly space: LexicalSpace;
}

/** Of Robertson and Zaragoza, "The Probabilistic Relevance Framework", 2009. */
const [k1, b] = [1.2, 0.75];
/** Terms of usual rows. A mean would be another one with each question, by which pages are read for it. */
const usualLength = { page: 400, document: 1_000 };

/** The weight of a word that so many of the rows have; with Lucene's one added, so that none is below 0. Without rows there is none. */
export const idfOf = (having: number, rows: number): number =>
  having === 0 ? 0 : Math.log1p((Math.max(rows, having) - having + 0.5) / (having + 0.5));

/** The pages by BM25, best first; those without any of the terms are left out. `parts`: terms with the weights of all that is counted. */
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
  /** Terms that the page has in all. */
  readonly length: number;
  /** Of each term that it has: in which part it is, and how often the page has it. */
  readonly counts: readonly { readonly part: number; readonly count: number }[];
}

/** How often the pages have the terms. A page that has gone meanwhile has none. */
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
