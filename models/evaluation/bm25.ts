import { rootOf } from "../../server/ranking/terms/word-root.ts";
import { queryTerms, pageTerms } from "../../server/ranking/terms/terms.ts";

const [k1, b] = [1.2, 0.75];

/** Returns the indexes of the best pages, best first. */
type RankByWords = (question: string, count: number) => readonly number[];

/**
 * Ranks pages only by BM25 (Robertson and Zaragoza, 2009) of their words, as a baseline: a search engine built in an afternoon.
 * Words are split and stemmed as in drs, so that only the ranking differs.
 */
export function plainBm25(pages: readonly string[]): RankByWords {
  const postings = new Map<string, Map<number, number>>();
  const lengths = pages.map((text, page) => {
    const words = pageTerms(text).toLowerCase().split(" ").map(rootOf);
    for (const word of words) {
      const found = postings.get(word) ?? new Map<number, number>();
      postings.set(word, found.set(page, (found.get(page) ?? 0) + 1));
    }
    return words.length;
  });
  const usualLength = lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, pages.length);
  return (question, count) => {
    const scores = new Map<number, number>();
    for (const word of new Set(queryTerms(question).terms.map((term) => rootOf(term.toLowerCase())))) {
      const found = postings.get(word) ?? new Map<number, number>();
      const idf = Math.log1p((pages.length - found.size + 0.5) / (found.size + 0.5));
      for (const [page, times] of found) {
        const norm = k1 * (1 - b + (b * (lengths[page] ?? 0)) / usualLength);
        scores.set(page, (scores.get(page) ?? 0) + (idf * times * (k1 + 1)) / (times + norm));
      }
    }
    return [...scores]
      .toSorted(([, one], [, other]) => other - one)
      .slice(0, count)
      .map(([page]) => page);
  };
}
