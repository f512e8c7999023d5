import type { PageHit, WordConditions } from "../../domain/ports/vectors.ts";
import { maxParts, partsAfter } from "../terms/split.ts";
import { termsInOrder } from "../terms/terms.ts";

/** So many pages are looked at for the order of their words: the best of those that have all words of the phrases. */
export const maxInOrder = 1_000;

/** Those of the pages that have the phrases, word after word, and none that is left out. */
export type InOrder = (pages: readonly PageHit[]) => Promise<readonly PageHit[]>;

/** Pages that are looked at first; then as many again as before, since to read some takes nearly as long as to read few. */
const firstPages = 100;

/** So many of the hits whose words are in order, the first of them: those after them need not be read. */
export async function bestInOrder(
  hits: readonly PageHit[],
  limit: number,
  inOrder: InOrder,
): Promise<readonly PageHit[]> {
  const found: PageHit[] = [];
  for (let from = 0, to = firstPages; from < hits.length && found.length < limit; [from, to] = [to, 2 * to]) {
    found.push(...(await inOrder(hits.slice(from, to))));
  }
  return found.slice(0, limit);
}

/** Tells of the terms of a page whether it has all phrases that it must have, and none that it must not have. */
export function orderChecker({ phrases, withoutPhrases }: WordConditions): (terms: string) => boolean {
  const hasAll = phraseFinder(phrases);
  const unwanted = withoutPhrases.map((phrase) => phraseFinder([phrase]));
  return (terms) => hasAll(terms) && !unwanted.some((has) => has(terms));
}

/** Tells of the terms of a page whether every phrase is among them, word after word as the page has them written. */
export function phraseFinder(phrases: readonly string[]): (terms: string) => boolean {
  const wanted = phrases.map(lookFor);
  return (terms) => {
    const lower = terms.toLowerCase();
    const spaced = ` ${lower} `;
    if (!wanted.every(({ near }) => near.every((pair) => pair.test(spaced)))) return false;
    const page = { terms: terms.split(" "), lower: lower.split(" ") };
    return wanted.every(({ words }) => isAnywhere(page, words));
  };
}

interface Phrase {
  /** In small letters. */
  readonly words: readonly string[];
  /** Its first neighbours, with room for the parts of an identifier between them: most pages are not looked at more closely. */
  readonly near: readonly RegExp[];
}

/** Neighbours that are looked for before the order of all words. */
const maxNear = 8;

function lookFor(phrase: string): Phrase {
  const words = termsInOrder(phrase);
  const near = words.slice(0, maxNear).map((word, at) => {
    const [one, next] = [RegExp.escape(word), words[at + 1]];
    // Each pair for itself: one expression for all of them would try every way to share the room.
    const then = next === undefined ? "" : `(?: [^ ]+){0,${maxParts}} ${RegExp.escape(next)}`;
    return new RegExp(` ${one}${then} `, "u");
  });
  return { words, near };
}

/** The terms of a page as it has them, and in small letters. */
interface PageTerms {
  readonly terms: readonly string[];
  readonly lower: readonly string[];
}

function isAnywhere(page: PageTerms, words: readonly string[]): boolean {
  const [first] = words;
  if (first === undefined) return false;
  for (let at = page.lower.indexOf(first); at >= 0; at = page.lower.indexOf(first, at + 1)) {
    if (isAt(page, at, words)) return true;
  }
  return false;
}

/** Only the neighbourhood is looked at: to take the parts of all identifiers off a page takes half a millisecond. */
function isAt({ terms, lower }: PageTerms, from: number, words: readonly string[]): boolean {
  let at = from;
  for (const word of words) {
    if (lower[at] !== word) return false;
    at += 1 + partsAfter(terms, at);
  }
  return !isPart(terms, from);
}

/** Is a term there as a part of the identifier before it, and not as a word of its own? A part has no parts itself. */
function isPart(terms: readonly string[], at: number): boolean {
  for (let before = 1; before <= Math.min(maxParts, at); before++) {
    if (partsAfter(terms, at - before) >= before) return true;
  }
  return false;
}
