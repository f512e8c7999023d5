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
 * Finds the words of one question in many pages. A page that comes for the first time is read letter by letter; only words
 * whose first two letters are those of a word of the question are looked up, each of them once for all pages. One that comes
 * again has its words numbered, and only numbers are compared from then on.
 */
export function createFinder(question: Question): (terms: string) => Occurrences {
  // Not between the pages of a question, whose words have their numbers.
  makeRoom();
  const read = createReader(question);
  const compare = createComparer(question);
  return (terms) => {
    const numbers = numbersOf(terms);
    return numbers === undefined ? read(terms) : compare(numbers);
  };
}

function createComparer({ words }: Question): (numbers: Uint32Array) => Occurrences {
  const places = new Map<number, number>();
  const marks = new Uint8Array(markCount);
  for (const [place, { stem }] of words.entries()) {
    const number = numberOf(stem);
    places.set(number, place);
    marks[number % markCount] = 1;
  }
  return (numbers) => {
    const positions: number[] = [];
    const found: number[] = [];
    for (let at = 0; at < numbers.length; at++) {
      const number = numbers[at] ?? 0;
      if (marks[number % markCount] === 0) continue;
      const place = places.get(number);
      if (place === undefined) continue;
      positions.push(at);
      found.push(place);
    }
    return { length: numbers.length, positions, words: found };
  };
}

function createReader({ words }: Question): (terms: string) => Occurrences {
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

/** Places of marks by which most words of a page are passed over. */
const markCount = 4_096;
/** Characters of pages that have come and of which the words are numbered: some ten thousand pages, 50 MB with their numbers. */
const maxCharacters = 32 * 2 ** 20;
const maxNumbered = 200_000;

/** By stem. */
const numberedWords = new Map<string, number>();
/** By the terms of the page; undefined: it has come once. */
const pages = new Map<string, Uint32Array | undefined>();
let characters = 0;

/** The numbers of a page's words, in their order; undefined if the page comes for the first time. */
function numbersOf(terms: string): Uint32Array | undefined {
  const known = pages.get(terms);
  if (known !== undefined) return known;
  if (!pages.has(terms)) {
    pages.set(terms, undefined);
    characters += terms.length;
    return undefined;
  }
  const numbers = Uint32Array.from(
    terms.split(" ").filter((term) => term !== ""),
    (term) => numberOf(rootOf(term.toLowerCase())),
  );
  pages.set(terms, numbers);
  return numbers;
}

function makeRoom(): void {
  if (characters <= maxCharacters && numberedWords.size <= maxNumbered) return;
  pages.clear();
  numberedWords.clear();
  characters = 0;
}

function numberOf(root: string): number {
  const number = numberedWords.get(root) ?? numberedWords.size;
  numberedWords.set(root, number);
  return number;
}

const space = 32;
const [bigY, smallY] = [0x59, 0x79];

/** The same for capitals and small letters; `y` counts as `i`, since stems change the one into the other. */
const beginningOf = (first: number, second: number): number => (letterOf(first) << 5) | letterOf(second);

const letterOf = (code: number): number => (code === bigY || code === smallY ? 9 : code & 31);
