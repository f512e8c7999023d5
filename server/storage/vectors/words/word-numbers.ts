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
  let slots = new Uint32Array(slotSize * 2 ** 14);
  let known = 0;
  let texts = new Uint8Array(2 ** 16);
  let used = 0;

  function numberOf(root: string): number {
    const number = roots.get(root) ?? roots.size + 1;
    roots.set(root, number);
    return number;
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
    slots.set([used, to - from, hash, number], slotSize * place);
    used += to - from;
    known += 1;
    if (2 * known * slotSize > slots.length) slots = grown(slots);
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
    const length = to - from;
    const mask = slots.length / slotSize - 1;
    for (let place = hash & mask; ; place = (place + 1) & mask) {
      const slot = slotSize * place;
      const knownLength = slots[slot + inSlot.length];
      if (knownLength === 0) return keep(place, bytes, from, to, hash);
      if (knownLength !== length || slots[slot + inSlot.hash] !== hash) continue;
      const start = slots[slot] ?? 0;
      let at = 0;
      while (at < length && texts[start + at] === bytes[from + at]) at += 1;
      if (at === length) return slots[slot + inSlot.number] ?? 0;
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
      return texts.length + slots.byteLength + roots.size * bytesPerRoot;
    },
  };
}

interface AskedTerm {
  readonly root: string;
  readonly isIndexed: boolean;
}

/**
 * Of a table of open addressing, whose capacity is a power of two: where the bytes of a term begin, how many they are (0: nothing is in
 * the slot), its hash, and twice its number, and one if the index has it. Beside each other, they are read at once.
 */
const slotSize = 4;
const inSlot = { length: 1, hash: 2, number: 3 };

/** With twice as many slots. */
function grown(slots: Uint32Array): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(2 * slots.length);
  const mask = larger.length / slotSize - 1;
  for (let slot = 0; slot < slots.length; slot += slotSize) {
    if (slots[slot + inSlot.length] === 0) continue;
    let place = (slots[slot + inSlot.hash] ?? 0) & mask;
    while (larger[slotSize * place + inSlot.length] !== 0) place = (place + 1) & mask;
    larger.set(slots.subarray(slot, slot + slotSize), slotSize * place);
  }
  return larger;
}
