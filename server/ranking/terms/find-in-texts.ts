import { createTextNumbers } from "./text-numbers.ts";

/** The places of a question's terms on a page; terms with the same `wordRoot` are equal. */
export interface TermsOnPage {
  /** Number of terms on the page. */
  readonly length: number;
  /** The places of the question's terms among them, from 0, in the order of the page. */
  readonly places: readonly number[];
  /** The number of the question's term at each place, from 0; the first one of equal terms. */
  readonly asked: readonly number[];
}

/** Finds the terms of a question in the texts of pages. The words of each text are numbered once, and only numbers are compared. */
export function findInTexts(
  terms: readonly string[],
  texts: readonly (string | undefined)[],
): readonly (TermsOnPage | undefined)[] {
  // Before the pages are numbered: their numbers must stay valid during the search.
  makeRoom();
  const words = terms.map((term) => textNumbers.ofTerm(term));
  const numbered = texts.map((text) => (text === undefined ? undefined : numbersOf(text)));
  /** The term with each number, from 1. */
  const asked = new Uint16Array(textNumbers.size);
  // Backwards, so that the first one of equal terms counts.
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

/** Maximum number of characters of numbered pages: some ten thousand pages, 50 MB with their numbers. */
const maxCharacters = 32 * 2 ** 20;
const maxNumbered = 200_000;

let textNumbers = createTextNumbers();
/** The numbers of pages, by their texts. */
const pages = new Map<string, Int32Array>();
let characters = 0;

/** The numbers of a page's words, in order. */
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
