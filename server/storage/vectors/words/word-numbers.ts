import { wordRoot } from "../../../domain/word-root.ts";
import { isIndexed } from "./indexed-terms.ts";

/** Numbers of words, from 1 and the same for all terms with one root. */
export interface WordNumbers {
  /**
   * Calls back with the number of each term of a text, which has one space between any two, in their order, and whether the index
   * has it. `bytes`: the text in UTF-8, from one place to another.
   */
  read(bytes: Uint8Array, from: number, to: number, found: (number: number, isIndexed: boolean) => void): void;
  /** Undefined: no text had a term of this root. */
  ofTerm(term: string): number | undefined;
  /** The same of a term that the index has; 0: it leaves it out. */
  ofIndexed(term: string): number | undefined;
  /** How many there are; no number is larger. */
  readonly count: number;
  /** Memory, roughly. */
  readonly bytes: number;
}

const space = 0x20;
/** Of FNV-1a, the hash of Fowler, Noll and Vo, in 32 bits. */
const [offsetBasis, prime] = [0x811c9dc5, 0x01000193];
const decoder = new TextDecoder();

/** What each number takes beside its terms: a root with its place in a map. */
const bytesPerRoot = 80;
/** Terms of questions whose roots are remembered: to take off their endings was a thirtieth of a question. */
const maxAsked = 10_000;

/**
 * Terms are looked up by their bytes, as the table has them: no text is made of a page, nor of a term that was seen before. All
 * pages together have some ten terms for each page, and as many new ones as the first again in ten times as many.
 */
export function createWordNumbers(): WordNumbers {
  const roots = new Map<string, number>();
  const asked = new Map<string, AskedTerm>();
  /** Open addressing: of each term where its bytes begin, how many they are, its hash, and twice its number, and one if the index has it. */
  let terms = emptyTerms(2 ** 14);
  let known = 0;
  let texts = new Uint8Array(2 ** 16);
  let used = 0;

  function numberOf(root: string): number {
    const number = roots.get(root) ?? roots.size + 1;
    roots.set(root, number);
    return number;
  }

  function isAt(place: number, bytes: Uint8Array, from: number, length: number): boolean {
    if (terms.lengths[place] !== length) return false;
    const start = terms.starts[place] ?? 0;
    for (let at = 0; at < length; at++) if (texts[start + at] !== bytes[from + at]) return false;
    return true;
  }

  function keep(place: number, bytes: Uint8Array, from: number, to: number, hash: number): number {
    if (used + to - from > texts.length) {
      const larger = new Uint8Array(2 * texts.length + (to - from));
      larger.set(texts);
      texts = larger;
    }
    texts.set(bytes.subarray(from, to), used);
    const term = decoder.decode(bytes.subarray(from, to));
    const number = 2 * numberOf(wordRoot(term)) + Number(isIndexed(term));
    setTerm(terms, place, [used, to - from, hash, number]);
    used += to - from;
    known += 1;
    if (2 * known > terms.starts.length) terms = grown(terms);
    return number;
  }

  function askedTerm(term: string): AskedTerm {
    const known = asked.get(term);
    if (known !== undefined) return known;
    if (asked.size >= maxAsked) asked.clear();
    const found = { root: wordRoot(term), isIndexed: isIndexed(term) };
    asked.set(term, found);
    return found;
  }

  function numberAt(bytes: Uint8Array, from: number, to: number, hash: number): number {
    const mask = terms.starts.length - 1;
    for (let place = hash & mask; ; place = (place + 1) & mask) {
      if (terms.lengths[place] === 0) return keep(place, bytes, from, to, hash);
      if (terms.hashes[place] === hash && isAt(place, bytes, from, to - from)) return terms.numbers[place] ?? 0;
    }
  }

  return {
    read(bytes, from, to, found) {
      for (let start = from; start < to;) {
        let hash = offsetBasis;
        let end = start;
        for (; end < to; end++) {
          const byte = bytes[end] ?? space;
          if (byte === space) break;
          hash = Math.imul(hash ^ byte, prime);
        }
        if (end > start) {
          const number = numberAt(bytes, start, end, (hash ^ (hash >>> 15)) >>> 0);
          found(number >>> 1, (number & 1) === 1);
        }
        start = end + 1;
      }
    },
    ofTerm: (term) => roots.get(askedTerm(term).root),
    ofIndexed(term) {
      const { root, isIndexed: isThere } = askedTerm(term);
      return isThere ? roots.get(root) : 0;
    },
    get count() {
      return roots.size;
    },
    get bytes() {
      return texts.length + terms.starts.length * bytesPerTerm + roots.size * bytesPerRoot;
    },
  };
}

interface AskedTerm {
  readonly root: string;
  readonly isIndexed: boolean;
}

interface Terms {
  readonly starts: Uint32Array;
  /** 0: nothing is at the place. */
  readonly lengths: Uint32Array;
  readonly hashes: Uint32Array;
  readonly numbers: Uint32Array;
}

const bytesPerTerm = 4 * Uint32Array.BYTES_PER_ELEMENT;

/** `capacity`: a power of two. */
const emptyTerms = (capacity: number): Terms => ({
  starts: new Uint32Array(capacity),
  lengths: new Uint32Array(capacity),
  hashes: new Uint32Array(capacity),
  numbers: new Uint32Array(capacity),
});

type Term = readonly [start: number, length: number, hash: number, number: number];

function setTerm({ starts, lengths, hashes, numbers }: Terms, place: number, term: Term): void {
  [starts[place], lengths[place], hashes[place], numbers[place]] = term;
}

/** With twice as many places. */
function grown({ starts, lengths, hashes, numbers }: Terms): Terms {
  const terms = emptyTerms(2 * starts.length);
  const mask = terms.starts.length - 1;
  for (let before = 0; before < starts.length; before++) {
    const [length, hash] = [lengths[before] ?? 0, hashes[before] ?? 0];
    if (length === 0) continue;
    let place = hash & mask;
    while (terms.lengths[place] !== 0) place = (place + 1) & mask;
    setTerm(terms, place, [starts[before] ?? 0, length, hash, numbers[before] ?? 0]);
  }
  return terms;
}
