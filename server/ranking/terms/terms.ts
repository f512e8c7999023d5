import { asInLayers, layerWritings } from "./layer-writings.ts";
import { joinedNeighbours, partsAfter, partsOfIdentifier, type Split, split } from "./split.ts";
import { stopWordsOf } from "./stop-words.ts";
import { formsInQuestion, formsOf, formsOnPage, isEnglishQuestion } from "./word-forms.ts";
import { withoutFunctionWords } from "./function-words.ts";

/**
 * Converts text to terms separated by spaces, as they are added to the index. The rules are the same for pages and questions, so
 * that their terms match. The index then converts terms to lower case, stems English words and removes English stop words; other
 * words remain unchanged.
 *
 * - Accents are removed, and ligatures and wide letters become ordinary letters (NFKD).
 * - Scripts without spaces become overlapping pairs of characters, as in Lucene's CJK analyser, or triples if characters are
 *   letters (Thai and its neighbours). Unlike words of a dictionary, these are the same in every version of ICU.
 * - `getElementById` becomes itself and its parts; `e-mail`, and a word divided at the end of a line, also become one word.
 * - `1,234.50` is one term, the same as `1234.5` and `1.234,50`.
 * - Words of other languages also have terms of their beginnings, and German and Dutch compounds of their last parts; see
 *   `word-forms.ts`.
 */
export function pageTerms(text: string): string {
  const { terms, words } = split(text);
  const { beginningsOf, endsOf } = formsOnPage(words);
  // Each end is added only once, because the frequency of a part is that of the word itself.
  return [...terms, ...words.flatMap(beginningsOf), ...new Set(words.flatMap(endsOf))].join(" ");
}

/** Maximum number of terms of a question; further terms are not searched. */
const maxTerms = 500;

export function questionTerms(text: string): readonly string[] {
  const { terms, words } = splitQuestion(text);
  const forms = isEnglishQuestion(words) ? [] : words.flatMap(({ folded }) => formsOf(folded));
  return [...terms, ...forms].slice(0, maxTerms);
}

/** The terms of a question for which an index is searched. */
interface QueryTerms {
  /** Different terms, without the stop words of the question's language and without the parts of `identifiers`. */
  readonly terms: readonly string[];
  /** The identifiers of the question, which are also among the terms, with their parts. */
  readonly identifiers: readonly Identifier[];
}

export interface Identifier {
  readonly whole: string;
  readonly parts: readonly string[];
}

/**
 * Returns the terms of a question without stop words. A question of only stop words keeps them.
 *
 * An identifier is searched as a whole: if pages have `TraceMonkey`, a page about monkeys or about traces is not an answer. The
 * parts of a code, such as `ISO9001`, remain terms, since codes are written with and without a space.
 */
export function queryTerms(text: string): QueryTerms {
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
  const asked = telling.length === 0 ? kept : [...telling, ...forms, ...others, ...termsAsWritten(text)];
  return { terms: uniqueTerms(asked).slice(0, maxTerms), identifiers };
}

/**
 * Returns the terms of a question as it is written, if they differ from those for text layers. Descriptions of documents are
 * indexed with these terms.
 */
function termsAsWritten(text: string): readonly string[] {
  const bounded = text.slice(0, maxQuestionLength);
  return asInLayers(bounded) === bounded ? [] : split(bounded).terms;
}

/** Splits a question without its function words. A question of only function words keeps them. */
export function splitQuestion(text: string): Split {
  const bounded = asInLayers(text.slice(0, maxQuestionLength));
  const telling = split(withoutFunctionWords(bounded));
  return telling.terms.length > 0 ? telling : split(bounded);
}

/** Returns neighbouring words of a question joined to one term, as file names may have them. */
export const gluedTerms = (text: string): readonly string[] =>
  uniqueTerms(joinedNeighbours(text.slice(0, maxQuestionLength)).map(({ joined }) => joined));

/** Removes terms that differ from an earlier one only in case, which the index ignores. */
function uniqueTerms(terms: readonly string[]): readonly string[] {
  const seen = new Set<string>();
  return terms.filter((term) => {
    const lower = term.toLowerCase();
    return !seen.has(lower) && seen.add(lower);
  });
}

/** Returns the words of a text in order, in lower case. */
export const termsInOrder = (text: string): readonly string[] =>
  writtenTerms(split(asInLayers(text.slice(0, maxQuestionLength))).inOrder.flatMap(({ terms }) => terms));

/**
 * Returns the terms of `pageTerms` in lower case and without the parts of identifiers, that is, the words as they are written.
 */
function writtenTerms(terms: readonly string[]): readonly string[] {
  const written: string[] = [];
  for (let at = 0; at < terms.length; at++) {
    const term = terms[at] ?? "";
    written.push(term.toLowerCase());
    at += partsAfter(terms, at);
  }
  return written;
}

/** Maximum number of characters of a question to read: more than a user types, and a limit for programs. */
export const maxQuestionLength = 10_000;
