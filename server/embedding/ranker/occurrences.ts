import type { Question } from "./question.ts";
import { createWordNumbers } from "./word-numbers.ts";

/** Where pages have words of a question: one page after the other, and of each in its order. */
export interface Occurrences {
  /** Of each page: how many words it has. */
  readonly lengths: readonly number[];
  /** Of each page: where it begins in the following lists; then their length. */
  readonly starts: readonly number[];
  /** Which word of the page, from 0, and which of the question it is. */
  readonly positions: readonly number[];
  readonly words: readonly number[];
}

/** Finds the words of a question in pages. Each page has its words numbered once, and only numbers are compared. */
export function findOccurrences({ words: asked }: Question, texts: Iterable<string>): Occurrences {
  // Not between the pages of a question, whose words have their numbers.
  makeRoom();
  const askedNumbers = asked.map(({ stem }) => wordNumbers.ofRoot(stem));
  const numbered = Array.from(texts, numbersOf);
  /** By number: which word of the question it is, from 1. */
  const wordOf = new Uint8Array(wordNumbers.size);
  for (const [word, number] of askedNumbers.entries()) wordOf[number] = word + 1;

  const starts: number[] = [];
  const found: Found = { wordOf, positions: [], words: [] };
  for (const numbers of numbered) {
    starts.push(found.words.length);
    findIn(numbers, found);
  }
  starts.push(found.words.length);
  return { lengths: numbered.map(({ length }) => length), starts, positions: found.positions, words: found.words };
}

interface Found {
  readonly wordOf: Uint8Array;
  readonly positions: number[];
  readonly words: number[];
}

/** Most words are none of the question's: they are passed over by fours, in half the time. */
function findIn(numbers: Int32Array, found: Found): void {
  const { wordOf } = found;
  const ofFours = numbers.length - (numbers.length % 4);
  for (let at = 0; at < ofFours; at += 4) {
    const any =
      (wordOf[numbers[at] ?? 0] ?? 0) |
      (wordOf[numbers[at + 1] ?? 0] ?? 0) |
      (wordOf[numbers[at + 2] ?? 0] ?? 0) |
      (wordOf[numbers[at + 3] ?? 0] ?? 0);
    if (any !== 0) take(numbers, { from: at, to: at + 4 }, found);
  }
  take(numbers, { from: ofFours, to: numbers.length }, found);
}

interface Range {
  readonly from: number;
  readonly to: number;
}

function take(numbers: Int32Array, { from, to }: Range, { wordOf, positions, words }: Found): void {
  for (let at = from; at < to; at++) {
    const word = wordOf[numbers[at] ?? 0] ?? 0;
    if (word === 0) continue;
    positions.push(at);
    words.push(word - 1);
  }
}

/** Characters of pages whose words are numbered: some ten thousand pages, 50 MB with their numbers. */
const maxCharacters = 32 * 2 ** 20;
const maxNumbered = 200_000;

let wordNumbers = createWordNumbers();
/** By the terms of the page. */
const pages = new Map<string, Int32Array>();
let characters = 0;

/** The numbers of a page's words, in their order. */
function numbersOf(terms: string): Int32Array {
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
