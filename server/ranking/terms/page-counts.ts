import { partsAfter } from "./split.ts";
import { formsOf, lastPartsOf } from "./word-forms.ts";
import { wordRoot } from "./word-root.ts";

/** A word of a question, and the roots of words by which it finds pages. */
export interface ExpandedWord {
  /** The word as it is first written in the question. */
  readonly written: string;
  /** The roots of the word's own forms; see `wordRoot`. */
  readonly roots: readonly string[];
  /** The roots of other words if no page of the workspace has the word: near spellings, or the parts of a compound. */
  readonly guesses: readonly string[];
}

/** A word of a question on a page. */
export interface WordOnPage {
  /** Number of occurrences, in any form by which the page is found. */
  readonly count: number;
  /** The other words (`guesses`) that the page has, without accents. */
  readonly foundAs: readonly string[];
}

/** The words of a question on pages. */
export interface WordsOnPages {
  /** The words in the order of the question, without the stop words of its language unless there are no others. */
  readonly words: readonly ExpandedWord[];
  /**
   * For each page its number of terms and the words, in order; undefined if the page has no terms in the space, or was not read.
   */
  readonly pages: readonly ({ readonly length: number; readonly words: readonly WordOnPage[] } | undefined)[];
}

/** Counts the words of a question in the terms of a page, as the index has them. */
type CountOnPage = (terms: string) => NonNullable<WordsOnPages["pages"][number]>;

/** The question's words that a word of a page matches, and the ones that it matches only as a guess. */
interface Match {
  readonly words: readonly number[];
  readonly guessed: readonly number[];
}

const nothing: Match = { words: [], guessed: [] };

/**
 * Returns a function that counts the words. A word of a page counts once for a word of the question, whether it matches as a
 * whole or by its parts, its beginning or its end.
 */
export function pageCounter(asked: readonly ExpandedWord[]): CountOnPage {
  const ofRoots = placesBy(asked, ({ roots }) => roots);
  const ofGuesses = placesBy(asked, ({ guesses }) => guesses);
  const known = new Map<string, Match>();

  function matchOf(terms: readonly string[]): Match {
    const roots = terms.map(wordRoot);
    const words = new Set(roots.flatMap((root) => ofRoots.get(root) ?? []));
    const guessed = new Set(roots.flatMap((root) => ofGuesses.get(root) ?? []));
    if (words.size + guessed.size === 0) return nothing;
    return { words: [...words.union(guessed)], guessed: [...guessed.difference(words)] };
  }

  return (terms) => {
    const all = terms.split(" ");
    const forms = all.filter((term) => term.includes("*"));
    const [isForeign, hasEnds] = [forms.length > 0, forms.some((form) => form.startsWith("*"))];
    const counts = asked.map(() => ({ count: 0, foundAs: new Set<string>() }));
    for (let at = 0; at < all.length - forms.length; at++) {
      const term = all[at] ?? "";
      // Most words are not followed by their parts, and looking for parts takes as long as everything else.
      const parts = all[at + 1] !== undefined && term.includes(all[at + 1] ?? "") ? partsAfter(all, at) : 0;
      const name = `${isForeign ? "*" : ""}${hasEnds ? "*" : ""}${all.slice(at, at + 1 + parts).join(" ")}`;
      let match = known.get(name);
      if (match === undefined) {
        const found = [...(isForeign ? formsOf(term) : []), ...(hasEnds ? lastPartsOf(term) : [])];
        match = matchOf([...all.slice(at, at + 1 + parts), ...found]);
        known.set(name, match);
      }
      for (const word of match.words) {
        const count = counts[word];
        if (count !== undefined) count.count += 1;
      }
      for (const word of match.guessed) counts[word]?.foundAs.add(term);
      at += parts;
    }
    return {
      length: all.length,
      words: counts.map(({ count, foundAs }): WordOnPage => ({ count, foundAs: [...foundAs] })),
    };
  };
}

/** Returns the places of the words with each root. */
function placesBy(
  asked: readonly ExpandedWord[],
  rootsOf: (word: ExpandedWord) => readonly string[],
): ReadonlyMap<string, readonly number[]> {
  const places = new Map<string, number[]>();
  for (const [place, word] of asked.entries()) {
    for (const root of new Set(rootsOf(word))) places.set(root, [...(places.get(root) ?? []), place]);
  }
  return places;
}
