import { asInLayers, layerWritings } from "./layer-writings.ts";
import { partsAfter, partsOfIdentifier, type Split, split } from "./split.ts";
import { joinedNeighbours } from "./joined-neighbours.ts";
import { stopWordsOf } from "./stop-words.ts";
import { formsInQuestion, formsOf, formsOnPage, isEnglishQuestion } from "./word-forms.ts";
import { withoutFunctionWords } from "./function-words.ts";

/**
 * What text becomes before the index sees it: terms between spaces, for pages and questions by the same rules, so that they
 * meet. The index then lowers, stems (English) and drops stop words; what is not English passes it unchanged.
 *
 * - Accents are taken off, ligatures and wide letters become usual ones (NFKD).
 * - Scripts that write no spaces become overlapping pairs of characters, as in Lucene's CJK analyser, or triples where
 *   characters are letters (Thai and its neighbours). Unlike words of a dictionary they are the same in every version of ICU.
 * - `getElementById` counts as itself and by its parts; `e-mail`, and a word divided at the end of a line, also in one.
 * - `1,234.50` is one term, and the same as `1234.5` and `1.234,50`.
 * - Words of other languages also count by their beginnings, German and Dutch compounds by their last parts; see `word-forms.ts`.
 */
export function pageTerms(text: string): string {
  const { terms, words } = split(text);
  const { beginningsOf, endsOf } = formsOnPage(words);
  // Once each: which page has a part more often is told by those that have it as a word.
  return [...terms, ...words.flatMap(beginningsOf), ...new Set(words.flatMap(endsOf))].join(" ");
}

/** Terms of a question, at most so many; what comes after them is not asked for. */
const maxTerms = 500;

export function questionTerms(text: string): readonly string[] {
  const { terms, words } = splitQuestion(text);
  const forms = isEnglishQuestion(words) ? [] : words.flatMap(({ folded }) => formsOf(folded));
  return [...terms, ...forms].slice(0, maxTerms);
}

/** A question as an index is asked for it. */
export interface AskedTerms {
  /** Each once, without the stop words of the question's language, and without the parts of `identifiers`. */
  readonly terms: readonly string[];
  /** Identifiers of the question, which are among the terms, with their parts. */
  readonly identifiers: readonly Identifier[];
}

export interface Identifier {
  readonly whole: string;
  readonly parts: readonly string[];
}

/**
 * The terms of a question that say something. A question that has nothing but stop words keeps them.
 *
 * An identifier is asked for as a whole: where pages have `TraceMonkey`, one about monkeys, or about traces, is no answer.
 * The parts of a code, as of `ISO9001`, stay terms, since codes are written with and without a space.
 */
export function askedTerms(text: string): AskedTerms {
  const { terms, words } = splitQuestion(text);
  const stops = stopWordsOf(words.map(({ folded }) => folded));
  const identifiers = words.flatMap(({ folded }): Identifier[] => {
    const parts = partsOfIdentifier(folded);
    return parts.length === 0 || /\p{Nd}/u.test(folded) ? [] : [{ whole: folded, parts }];
  });
  const dropped = new Map<string, number>();
  for (const part of identifiers.flatMap(({ parts }) => parts)) dropped.set(part, (dropped.get(part) ?? 0) + 1);
  const kept = terms.filter((term) => {
    const left = dropped.get(term) ?? 0;
    if (left > 0) dropped.set(term, left - 1);
    return left === 0;
  });
  const telling = kept.filter((term) => !stops.has(term.toLowerCase()));
  const formsIn = formsInQuestion(words);
  const forms = words.flatMap(({ folded }) => (stops.has(folded.toLowerCase()) ? [] : formsIn(folded)));
  const others = words.flatMap(({ folded }) => layerWritings(folded)).flatMap((word) => [word, ...formsIn(word)]);
  const asked = telling.length === 0 ? kept : [...telling, ...forms, ...others, ...asSaid(text)];
  return { terms: uniqueTerms(asked).slice(0, maxTerms), identifiers };
}

/** What is said of documents is not written as pages are. */
function asSaid(text: string): readonly string[] {
  const bounded = text.slice(0, maxQuestionLength);
  return asInLayers(bounded) === bounded ? [] : split(bounded).terms;
}

/** A question that is nothing but function words keeps them. */
export function splitQuestion(text: string): Split {
  const bounded = asInLayers(text.slice(0, maxQuestionLength));
  const telling = split(withoutFunctionWords(bounded));
  return telling.terms.length > 0 ? telling : split(bounded);
}

/** Terms of the names of files that have neighbours in a question as one word. */
export const gluedTerms = (text: string): readonly string[] =>
  uniqueTerms(joinedNeighbours(text.slice(0, maxQuestionLength)).map(({ joined }) => joined));

/** The index lowers all terms: of those that differ by capitals alone the first one is left. */
function uniqueTerms(terms: readonly string[]): readonly string[] {
  const seen = new Set<string>();
  return terms.filter((term) => {
    const lower = term.toLowerCase();
    return !seen.has(lower) && seen.add(lower);
  });
}

/** The words of a text one after another, in small letters. */
export const termsInOrder = (text: string): readonly string[] =>
  writtenTerms(split(asInLayers(text.slice(0, maxQuestionLength))).inOrder.flatMap(({ terms }) => terms));

/** Terms as `pageTerms` gives them, in small letters and without the parts of identifiers: the words as they are written. */
function writtenTerms(terms: readonly string[]): readonly string[] {
  const written: string[] = [];
  for (let at = 0; at < terms.length; at++) {
    const term = terms[at] ?? "";
    written.push(term.toLowerCase());
    at += partsAfter(terms, at);
  }
  return written;
}

/** Characters: more than any question that a user types, and a bound on what a client may send. */
export const maxQuestionLength = 10_000;
