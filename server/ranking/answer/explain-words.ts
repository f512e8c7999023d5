import type { WeighedWord } from "../../domain/ports/worker.ts";
import type { WordOnPage, WordsOnPages } from "../terms/page-counts.ts";
import { idfOf } from "../rerank/occurrences.ts";

/** The usual parameters of BM25 (Robertson and Zaragoza, "The Probabilistic Relevance Framework", 2009). */
const bm25 = { k1: 1.2, b: 0.75 };

interface WordShare extends WordOnPage {
  /** The word as it is first written in the question. */
  readonly word: string;
  /** The word's share of the BM25 score of all words on the page; 0 to 1. */
  readonly share: number;
}

/** Returns the question's words on the page at each of the places, without pages that were not read. */
export function explainWords(
  read: WordsOnPages,
  places: ReadonlySet<number>,
): ReadonlyMap<number, readonly WordShare[]> {
  const idf = weightsIn(read);
  const lengths = read.pages.flatMap((page) => page?.length ?? []);
  const usualLength = lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, lengths.length);
  const found = new Map<number, readonly WordShare[]>();
  for (const place of places) {
    const page = read.pages[place];
    if (page === undefined) continue;
    const long = 1 - bm25.b + (bm25.b * page.length) / Math.max(1, usualLength);
    const weights = page.words.map(({ count }, word) => ((idf[word] ?? 0) * count) / (count + bm25.k1 * long));
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    found.set(
      place,
      page.words.map((onPage, word) => ({
        ...onPage,
        word: read.words[word]?.written ?? "",
        share: total === 0 ? 0 : (weights[word] ?? 0) / total,
      })),
    );
  }
  return found;
}

/** Returns the words of a question, weighted by how well each distinguishes the pages that were read. */
export function weighWords(read: WordsOnPages): readonly WeighedWord[] {
  const idf = weightsIn(read);
  return read.words.map(({ roots, guesses }, place) => ({ roots: [...roots, ...guesses], weight: idf[place] ?? 0 }));
}

/** Returns the inverse document frequency of each word among the pages that were read. */
function weightsIn({ words, pages }: WordsOnPages): readonly number[] {
  const read = pages.filter((page) => page !== undefined);
  return words.map((_, word) => idfOf(read.filter((page) => (page.words[word]?.count ?? 0) > 0).length, read.length));
}
