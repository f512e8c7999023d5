import type { FoundTerms, WeighedWord } from "../../domain/ports/vectors.ts";
import { layerWritings } from "../../domain/terms/layer-writings.ts";
import { partsAfter } from "../../domain/terms/split.ts";
import { formsInQuestion } from "../../domain/terms/word-forms.ts";
import { occurrencesOn } from "./occurrences.ts";
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

/** The question's words on each of the pages at the places that are wanted; pages that were not read are left out. */
export function explainWords(
  reading: FoundTerms,
  wanted: ReadonlySet<number>,
): ReadonlyMap<number, readonly WordOfPage[]> {
  const question = readQuestion(reading.question);
  const read = [...reading.pages.keys()].filter((place) => reading.pages[place] !== undefined);
  const occurrences = occurrencesOn(
    read.flatMap((place) => reading.pages[place] ?? []),
    question,
  );
  const { idf } = weigh(question, occurrences);
  const { lengths, starts, words } = occurrences;
  const written = writtenWords(question, reading.question);
  const usualLength = lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, lengths.length);
  const found = new Map<number, readonly WordOfPage[]>();
  for (const [page, place] of read.entries()) {
    if (!wanted.has(place)) continue;
    const counts = question.words.map(() => 0);
    for (const word of words.slice(starts[page], starts[page + 1])) counts[word] = (counts[word] ?? 0) + 1;
    const long = 1 - bm25.b + (bm25.b * (lengths[page] ?? 0)) / Math.max(1, usualLength);
    const weights = counts.map((count, word) => ((idf[word] ?? 0) * count) / (count + bm25.k1 * long));
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    found.set(
      place,
      counts.map((count, word) => ({
        word: written[word] ?? "",
        count,
        share: total === 0 ? 0 : (weights[word] ?? 0) / total,
      })),
    );
  }
  return found;
}

/** The words of a question with how much each tells the pages that were read apart. */
export function weighWords({ question: terms, pages }: FoundTerms): readonly WeighedWord[] {
  const question = readQuestion(terms);
  const read = pages.filter((page) => page !== undefined);
  const { idf } = weigh(question, occurrencesOn(read, question));
  const formsOf = formsByRoot(terms);
  return question.words
    .map(({ stem }, place) => ({ roots: [stem, ...(formsOf.get(stem) ?? [])], weight: idf[place] ?? 0 }))
    .filter(({ roots: [stem = ""] }) => !isForm(stem));
}

/** By the roots of the words of a question, those of all else that pages are found by for them. */
function formsByRoot(terms: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const whole = terms.filter((term) => !isForm(term));
  const formsIn = formsInQuestion(whole.map((word) => ({ written: word, folded: word })));
  const forms = new Map<string, readonly string[]>();
  for (let at = 0; at < whole.length; at++) {
    const word = whole[at] ?? "";
    const found = [...formsIn(word), ...layerWritings(word).flatMap((other) => [other, ...formsIn(other)])];
    const root = rootOf(word.toLowerCase());
    forms.set(root, [...(forms.get(root) ?? []), ...found.map((form) => rootOf(form.toLowerCase()))]);
    // The parts of an identifier have no forms of their own.
    at += partsAfter(whole, at);
  }
  return forms;
}

/** The beginning or the end of a word, not a word itself. */
const isForm = (term: string): boolean => term.endsWith("*");

/** The words of the question as it has them first. */
function writtenWords({ words }: Question, terms: readonly string[]): readonly string[] {
  const written = new Map<string, string>();
  for (const term of terms) {
    const root = rootOf(term.toLowerCase());
    if (!written.has(root)) written.set(root, term);
  }
  return words.map(({ stem }) => written.get(stem) ?? stem);
}
