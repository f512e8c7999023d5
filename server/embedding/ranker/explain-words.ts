import type { Reading } from "../../domain/ports/pack-ranking.ts";
import type { TermsRead, WeighedWord } from "../../domain/ports/vectors.ts";
import { weigh } from "./gains.ts";
import { createFinder, type Occurrences } from "./occurrences.ts";
import { type Question, readQuestion, rootOf } from "./question.ts";

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
  const read = occurrencesIn(question, reading);
  const { idf } = weigh(
    question,
    Array.from(read.values(), ({ words }) => words),
  );
  const written = writtenWords(question, reading.question);
  const usualLength = read.values().reduce((sum, { length }) => sum + length, 0) / Math.max(1, read.size);
  const found = new Map<string, readonly WordOfPage[]>();
  for (const key of wanted) {
    const page = read.get(key);
    if (page === undefined) continue;
    const counts = question.words.map(() => 0);
    for (const place of page.words) counts[place] = (counts[place] ?? 0) + 1;
    const long = 1 - bm25.b + (bm25.b * page.length) / Math.max(1, usualLength);
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
  const pages = Array.from(occurrencesIn(question, read).values(), ({ words }) => words);
  const { idf } = weigh(question, pages);
  return question.words.map(({ stem }, place) => ({ stem, weight: idf[place] ?? 0 }));
}

function occurrencesIn(question: Question, { pages }: TermsRead): ReadonlyMap<string, Occurrences> {
  const find = createFinder(question);
  return new Map(Array.from(pages, ([key, terms]) => [key, find(terms)]));
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
