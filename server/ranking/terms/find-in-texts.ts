import { createTextNumbers } from "./text-numbers.ts";

/** Where a page has the terms of a question; those with the same `wordRoot` are one. */
export interface TermsOnPage {
  /** How many terms the page has. */
  readonly length: number;
  /** Where terms of the question are among them, from 0 and in the order of the page. */
  readonly places: readonly number[];
  /** Which of the question's terms is at each of the places, from 0; of those that are one, the first. */
  readonly asked: readonly number[];
}

/** Where the texts of pages have the terms of a question. Each text has its words numbered once, and only numbers are compared. */
export function findInTexts(
  terms: readonly string[],
  texts: readonly (string | undefined)[],
): readonly (TermsOnPage | undefined)[] {
  // Not between the pages of a question, whose words have their numbers.
  makeRoom();
  const words = terms.map((term) => textNumbers.ofTerm(term));
  const numbered = texts.map((text) => (text === undefined ? undefined : numbersOf(text)));
  /** By number: which of the terms it is, from 1. */
  const asked = new Uint16Array(textNumbers.size);
  // Backwards: of terms that are the same the first one counts.
  for (let at = words.length - 1; at >= 0; at--) asked[words[at] ?? 0] = at + 1;
  return numbered.map((numbers) => numbers && findIn(numbers, asked));
}

function findIn(numbers: Int32Array, asked: Uint16Array): TermsOnPage {
  const [places, found]: [number[], number[]] = [[], []];
  for (let at = 0; at < numbers.length; at++) {
    const term = asked[numbers[at] ?? 0] ?? 0;
    if (term === 0) continue;
    places.push(at);
    found.push(term - 1);
  }
  return { length: numbers.length, places, asked: found };
}

/** Characters of pages whose words are numbered: some ten thousand pages, 50 MB with their numbers. */
const maxCharacters = 32 * 2 ** 20;
const maxNumbered = 200_000;

let textNumbers = createTextNumbers();
/** By the text of the page. */
const pages = new Map<string, Int32Array>();
let characters = 0;

/** The numbers of a page's words, in their order. */
function numbersOf(text: string): Int32Array {
  const known = pages.get(text);
  if (known !== undefined) return known;
  const numbers = textNumbers.ofText(text);
  pages.set(text, numbers);
  characters += text.length;
  return numbers;
}

function makeRoom(): void {
  if (characters <= maxCharacters && textNumbers.size <= maxNumbered) return;
  pages.clear();
  textNumbers = createTextNumbers();
  characters = 0;
}
