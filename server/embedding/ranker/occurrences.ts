import { type Question, rootOf } from "./question.ts";

/** Where a page has words of the question, in the order of the page. */
export interface Occurrences {
  /** Words of the page. */
  readonly length: number;
  /** Which word of the page, from 0, and which of the question it is; both have as many entries. */
  readonly positions: readonly number[];
  readonly words: readonly number[];
}

/**
 * Finds the words of one question in many pages. A page is read letter by letter; only words whose first two letters are
 * those of a word of the question are looked up, each of them once for all pages.
 */
export function createFinder({ words }: Question): (terms: string) => Occurrences {
  const beginnings = new Uint8Array(1024);
  for (const { stem } of words) beginnings[beginningOf(stem.charCodeAt(0), stem.charCodeAt(1))] = 1;
  const places = new Map(words.map(({ stem }, place) => [stem, place]));
  const known = new Map<string, number>();

  function placeOf(word: string): number {
    let place = known.get(word);
    if (place === undefined) {
      place = places.get(rootOf(word.toLowerCase())) ?? -1;
      known.set(word, place);
    }
    return place;
  }

  return (terms) => {
    const positions: number[] = [];
    const found: number[] = [];
    let length = 0;
    for (let from = 0; from < terms.length;) {
      let to = from;
      while (to < terms.length && terms.charCodeAt(to) !== space) to += 1;
      if (
        beginnings[beginningOf(terms.charCodeAt(from), to > from + 1 ? terms.charCodeAt(from + 1) : Number.NaN)] === 1
      ) {
        const place = placeOf(terms.slice(from, to));
        if (place >= 0) {
          positions.push(length);
          found.push(place);
        }
      }
      if (to > from) length += 1;
      from = to + 1;
    }
    return { length, positions, words: found };
  };
}

const space = 32;
const [bigY, smallY] = [0x59, 0x79];

/** The same for capitals and small letters; `y` counts as `i`, since stems change the one into the other. */
const beginningOf = (first: number, second: number): number => (letterOf(first) << 5) | letterOf(second);

const letterOf = (code: number): number => (code === bigY || code === smallY ? 9 : code & 31);
