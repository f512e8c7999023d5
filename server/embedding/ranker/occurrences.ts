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
  const positions: number[] = [];
  const words: number[] = [];
  for (const numbers of numbered) {
    starts.push(words.length);
    // Most words are none of the question's: they are passed over by fours.
    for (let at = 0; at < numbers.length; at += 4) {
      if (!hasAny(numbers, at, wordOf)) continue;
      for (let next = at; next < Math.min(at + 4, numbers.length); next++) {
        const word = wordOf[numbers[next] ?? 0] ?? 0;
        if (word === 0) continue;
        positions.push(next);
        words.push(word - 1);
      }
    }
  }
  starts.push(words.length);
  return { lengths: numbered.map(({ length }) => length), starts, positions, words };
}

/** Whether any of four words is one of the question's. */
const hasAny = (numbers: Int32Array, at: number, wordOf: Uint8Array): boolean =>
  ((wordOf[numbers[at] ?? 0] ?? 0) |
    (wordOf[numbers[at + 1] ?? 0] ?? 0) |
    (wordOf[numbers[at + 2] ?? 0] ?? 0) |
    (wordOf[numbers[at + 3] ?? 0] ?? 0)) !==
  0;

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
