import type { Question } from "./question.ts";
import { createWordNumbers } from "./word-numbers.ts";

/** Where a page has words of the question, in the order of the page. */
export interface Occurrences {
  /** Words of the page. */
  readonly length: number;
  /** Which word of the page, from 0, and which of the question it is; both have as many entries. */
  readonly positions: readonly number[];
  readonly words: readonly number[];
}

/** Finds the words of one question in many pages. Each page has its words numbered once, and only numbers are compared. */
export function createFinder({ words }: Question): (terms: string) => Occurrences {
  // Not between the pages of a question, whose words have their numbers.
  makeRoom();
  const places = new Map<number, number>();
  const marks = new Uint8Array(markCount);
  for (const [place, { stem }] of words.entries()) {
    const number = wordNumbers.ofRoot(stem);
    places.set(number, place);
    marks[number % markCount] = 1;
  }
  return (terms) => {
    const numbers = numbersOf(terms);
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

/** Places of marks by which most words of a page are passed over. */
const markCount = 4_096;
/** Characters of pages whose words are numbered: some ten thousand pages, 50 MB with their numbers. */
const maxCharacters = 32 * 2 ** 20;
const maxNumbered = 200_000;

let wordNumbers = createWordNumbers();
/** By the terms of the page. */
const pages = new Map<string, Uint32Array>();
let characters = 0;

/** The numbers of a page's words, in their order. */
function numbersOf(terms: string): Uint32Array {
  const known = pages.get(terms);
  if (known !== undefined) return known;
  const numbers = wordNumbers.ofPage(terms);
  pages.set(terms, numbers);
  characters += terms.length;
  return numbers;
}

function makeRoom(): void {
  if (characters <= maxCharacters && wordNumbers.size <= maxNumbered) return;
  pages.clear();
  wordNumbers = createWordNumbers();
  characters = 0;
}
