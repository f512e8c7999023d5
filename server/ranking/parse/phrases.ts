import type { PageHit, WordConditions } from "../../domain/ports/vectors.ts";
import { maxParts, partsAfter } from "../terms/split.ts";
import { termsInOrder } from "../terms/terms.ts";

/** Maximum number of pages whose word order is checked, among the best that have all words of the phrases. */
export const maxInOrder = 1_000;

/** Returns the pages that have all phrases, word for word, and none of the excluded phrases. */
export type InOrder = (pages: readonly PageHit[]) => Promise<readonly PageHit[]>;

/** Number of pages to read first. Each further read doubles the total, since reading a few pages takes nearly as long as many. */
const firstPages = 100;

/** Returns the first `limit` hits whose words are in order, and does not read later hits. */
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

/** Returns a function that checks whether the terms of a page have all required phrases and no excluded phrase. */
export function orderChecker({ phrases, withoutPhrases }: WordConditions): (terms: string) => boolean {
  const hasAll = phraseFinder(phrases);
  const unwanted = withoutPhrases.map((phrase) => phraseFinder([phrase]));
  return (terms) => hasAll(terms) && !unwanted.some((has) => has(terms));
}

/** Returns a function that checks whether the terms of a page have every phrase, word for word as on the page. */
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
  /** The words in lower case. */
  readonly words: readonly string[];
  /**
   * Patterns for pairs of neighbours among the first words, with up to `maxParts` parts of an identifier between them. Most pages
   * fail this quick check.
   */
  readonly near: readonly RegExp[];
}

/** Maximum number of words in the quick check, which precedes the check of all words. */
const maxNear = 8;

function lookFor(phrase: string): Phrase {
  const words = termsInOrder(phrase);
  const near = words.slice(0, maxNear).map((word, at) => {
    const [one, next] = [RegExp.escape(word), words[at + 1]];
    // One expression per pair: a single one for all words would backtrack through every distribution of the parts.
    const then = next === undefined ? "" : `(?: [^ ]+){0,${maxParts}} ${RegExp.escape(next)}`;
    return new RegExp(` ${one}${then} `, "u");
  });
  return { words, near };
}

/** The terms of a page, as written and in lower case. */
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

/** Checks only the terms at this place: removing the parts of all identifiers from a page takes half a millisecond. */
function isAt({ terms, lower }: PageTerms, from: number, words: readonly string[]): boolean {
  let at = from;
  for (const word of words) {
    if (lower[at] !== word) return false;
    at += 1 + partsAfter(terms, at);
  }
  return !isPart(terms, from);
}

/** Whether a term is a part of the identifier before it, not a word of its own. A part has no parts itself. */
function isPart(terms: readonly string[], at: number): boolean {
  for (let before = 1; before <= Math.min(maxParts, at); before++) {
    if (partsAfter(terms, at - before) >= before) return true;
  }
  return false;
}
