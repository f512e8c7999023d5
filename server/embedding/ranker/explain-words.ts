import type { Reading } from "../../domain/ports/pack-ranking.ts";
import type { TermsRead, WeighedWord } from "../../domain/ports/vectors.ts";
import { findOccurrences } from "./occurrences.ts";
import { type Question, readQuestion, rootOf } from "./question.ts";
import { weigh } from "./weigh.ts";

/** Of BM25, as full-text indexes have them (Robertson and Zaragoza, "The Probabilistic Relevance Framework", 2009). */
const bm25 = { k1: 1.2, b: 0.75 };

interface WordOfPage {
  /** As the question has it first. */
  readonly word: string;
  readonly count: number;
  /** Of what all words of the page count together; 0 to 1. */
  readonly share: number;
}

/** The question's words on each of the pages, by `rowKey`; pages that were not read are left out. */
export function explainWords(
  reading: Reading,
  wanted: ReadonlySet<string>,
): ReadonlyMap<string, readonly WordOfPage[]> {
  const question = readQuestion(reading.question);
  const occurrences = findOccurrences(question, reading.pages.values());
  const { idf } = weigh(question, occurrences);
  const { lengths, starts, words } = occurrences;
  const written = writtenWords(question, reading.question);
  const usualLength = lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, lengths.length);
  const found = new Map<string, readonly WordOfPage[]>();
  for (const [page, key] of [...reading.pages.keys()].entries()) {
    if (!wanted.has(key)) continue;
    const counts = question.words.map(() => 0);
    for (const word of words.slice(starts[page], starts[page + 1])) counts[word] = (counts[word] ?? 0) + 1;
    const long = 1 - bm25.b + (bm25.b * (lengths[page] ?? 0)) / Math.max(1, usualLength);
    const weights = counts.map((count, place) => ((idf[place] ?? 0) * count) / (count + bm25.k1 * long));
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    found.set(
      key,
      counts.map((count, place) => ({
        word: written[place] ?? "",
        count,
        share: total === 0 ? 0 : (weights[place] ?? 0) / total,
      })),
    );
  }
  return found;
}

/** The words of a question with how much each tells the pages that were read apart. */
export function weighWords(read: TermsRead): readonly WeighedWord[] {
  const question = readQuestion(read.question);
  const { idf } = weigh(question, findOccurrences(question, read.pages.values()));
  return question.words.map(({ stem }, place) => ({ stem, weight: idf[place] ?? 0 }));
}

/** The words of the question as it has them first. */
function writtenWords({ words }: Question, terms: readonly string[]): readonly string[] {
  const written = new Map<string, string>();
  for (const term of terms) {
    const root = rootOf(term.toLowerCase());
    if (!written.has(root)) written.set(root, term);
  }
  return words.map(({ stem }) => written.get(stem) ?? stem);
}
