import { wordRoot } from "./word-root.ts";

/** Assigns numbers to words; terms with the same root have the same number. */
interface TextNumbers {
  /** Returns the numbers of the words of a text, in order. The text's terms are separated by spaces. */
  ofText(text: string): Int32Array;
  ofTerm(term: string): number;
  /** The number of different roots. */
  readonly size: number;
}

const space = 32;
const firstCapacity = 2 ** 15;
/** Maximum number of places to probe. A form that finds no free place is stemmed each time, in some tenths of a microsecond. */
const maxProbes = 16;
/** The parameters of FNV-1a, the hash of Fowler, Noll and Vo, in 32 bits. */
const [offsetBasis, prime] = [0x811c9dc5, 0x01000193];

/**
 * Keeps forms of words in a hash table that is accessed directly with the letters of the page. Splitting the page and looking up
 * each word in a map would take several times as long. The forms are slices of the pages' texts, which they keep in memory.
 */
export function createTextNumbers(): TextNumbers {
  const roots = new Map<string, number>();
  let forms = emptyForms(firstCapacity);
  let buffer = new Int32Array(1_024);

  function ofTerm(term: string): number {
    const root = wordRoot(term);
    const number = roots.get(root) ?? roots.size;
    roots.set(root, number);
    return number;
  }

  /** Returns the number of the form between two places in the terms. */
  function numberAt(terms: string, from: number, to: number, hash: number): number {
    const mask = forms.texts.length - 1;
    for (let probe = 0; probe < maxProbes; probe++) {
      const place = (hash + probe) & mask;
      const text = forms.texts[place];
      if (text === undefined) {
        const form = terms.slice(from, to);
        const number = ofTerm(form);
        forms.texts[place] = form;
        forms.hashes[place] = hash;
        forms.numbers[place] = number;
        forms.count += 1;
        if (forms.count > mask / 2) forms = grown(forms);
        return number;
      }
      if (forms.hashes[place] === hash && isAt(text, terms, from, to)) return forms.numbers[place] ?? 0;
    }
    return ofTerm(terms.slice(from, to));
  }

  return {
    ofTerm,
    get size() {
      return roots.size;
    },
    ofText(terms) {
      // The maximum number of words, as there is a space after each word but the last.
      const most = (terms.length + 1) >>> 1;
      if (buffer.length < most) buffer = new Int32Array(2 * most);
      let count = 0;
      for (let from = 0; from < terms.length;) {
        let hash = offsetBasis;
        let to = from;
        for (; to < terms.length; to++) {
          const code = terms.charCodeAt(to);
          if (code === space) break;
          hash = Math.imul(hash ^ code, prime);
        }
        if (to > from) buffer[count++] = numberAt(terms, from, to, (hash ^ (hash >>> 15)) >>> 0);
        from = to + 1;
      }
      return buffer.slice(0, count);
    },
  };
}

/** A hash table with open addressing. Its length is a power of two. */
interface Forms {
  readonly texts: (string | undefined)[];
  readonly hashes: Uint32Array;
  readonly numbers: Uint32Array;
  count: number;
}

const emptyForms = (capacity: number): Forms => ({
  texts: Array.from({ length: capacity }, () => undefined),
  hashes: new Uint32Array(capacity),
  numbers: new Uint32Array(capacity),
  count: 0,
});

/** Returns a table of twice the size. A form that finds no free place is left out. */
function grown({ texts, hashes, numbers }: Forms): Forms {
  const forms = emptyForms(2 * texts.length);
  const mask = forms.texts.length - 1;
  for (const [before, text] of texts.entries()) {
    if (text === undefined) continue;
    const hash = hashes[before] ?? 0;
    for (let probe = 0; probe < maxProbes; probe++) {
      const place = (hash + probe) & mask;
      if (forms.texts[place] !== undefined) continue;
      forms.texts[place] = text;
      forms.hashes[place] = hash;
      forms.numbers[place] = numbers[before] ?? 0;
      forms.count += 1;
      break;
    }
  }
  return forms;
}

/** Whether the form is the text between two places in the terms. */
function isAt(form: string, terms: string, from: number, to: number): boolean {
  if (form.length !== to - from) return false;
  for (let at = 0; at < form.length; at++) if (form.charCodeAt(at) !== terms.charCodeAt(from + at)) return false;
  return true;
}

/** The places of a question's terms on a page; terms with the same `wordRoot` are equal. */
export interface TermsOnPage {
  /** Number of terms on the page. */
  readonly length: number;
  /** The places of the question's terms among the page's terms, from 0, in the order of the page. */
  readonly places: readonly number[];
  /** For each place the index of the question's term, from 0; that of the first if terms are equal. */
  readonly asked: readonly number[];
}

/**
 * Finds the terms of a question in the texts of pages. The words of each text are numbered once, and only numbers are compared.
 */
export function findInTexts(
  terms: readonly string[],
  texts: readonly (string | undefined)[],
): readonly (TermsOnPage | undefined)[] {
  // This must precede the numbering of pages, whose numbers must stay valid during the search.
  makeRoom();
  const words = terms.map((term) => textNumbers.ofTerm(term));
  const numbered = texts.map((text) => (text === undefined ? undefined : numbersOf(text)));
  /** The term with each number, from 1. */
  const asked = new Uint16Array(textNumbers.size);
  // Iterates backwards, so that the first of equal terms counts.
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

/** Maximum number of characters of the pages whose numbers are cached: some ten thousand pages, 50 MB with their numbers. */
const maxCharacters = 32 * 2 ** 20;
const maxNumbered = 200_000;

let textNumbers = createTextNumbers();
/** The cached word numbers of pages, by their texts. */
const pages = new Map<string, Int32Array>();
let characters = 0;

/** Returns the numbers of a page's words, in order. */
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
