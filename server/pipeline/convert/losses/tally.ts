/** Scripts with spaces between words and with letters that are in order in every PDF. */
const spelled = ["Latin", "Greek", "Cyrillic", "Armenian", "Georgian", "Hangul"]
  .map((script) => `\\p{Script=${script}}`)
  .join("");
/** A word of at least two letters, or a single letter of another script, in which word order and boundaries get lost. */
const term = new RegExp(`[${spelled}]{2,}|(?![${spelled}])\\p{L}`, "gu");

/**
 * Removes everything that programs write in different ways: case, presentation forms, diacritics, invisible characters.
 */
function plain(text: string): string {
  const bare = text
    .normalize("NFKC")
    .toLowerCase()
    .normalize("NFD")
    .replace(/[\p{M}\p{Cf}]/gu, "");
  return bare.normalize("NFC").replaceAll("ß", "ss").replaceAll("ς", "σ");
}

/** Returns the terms by which texts are compared. Numbers are left out, because programs recount pages, lists and dates. */
export function termsOf(text: string): string[] {
  return plain(text).match(term) ?? [];
}

/**
 * Returns all letters of a text without gaps, so that the result also contains terms that a line break or a gap between letters
 * has divided.
 */
function lettersOf(text: string): string {
  return plain(text).replace(/\P{L}/gu, "");
}

/** Maximum different terms in memory, some 10 MB. If there are more, a sample is compared, chosen by their hashes. */
const maxTerms = 50_000;
/** Maximum missing terms to search for again inside longer runs of letters. Further ones count as missing. */
const maxSought = 2_000;

/** A term of the source, and the number of its occurrences that are missing on the pages. */
export interface ComparedTerm<Place> {
  readonly term: string;
  /** The number of occurrences in the source, and how many of them are missing on the pages. */
  readonly times: number;
  readonly missing: number;
  /** The place of its first occurrence. */
  readonly place: Place;
}

/** Compares the terms of a source with those of its pages, as multisets. */
interface TermTally<Place> {
  /** Call this first, with all texts of the source. */
  add(text: string, place: Place): void;
  /** Call this next, with the texts of all pages. */
  arrive(text: string): void;
  /** If something is missing, call this last, with the texts of all pages again. */
  seek(text: string): void;
  compared(): readonly ComparedTerm<Place>[];
}

interface Entry<Place> {
  readonly place: Place;
  expected: number;
  arrived: number;
  sought: number;
}

export function createTermTally<Place>(limit = maxTerms): TermTally<Place> {
  const entries = new Map<string, Entry<Place>>();
  let mask = 0;
  let soughtTerms: (readonly [term: string, entry: Entry<Place>])[] | undefined;
  const isCompared = (term: string): boolean => mask === 0 || (hashOf(term) & mask) === 0;
  const lacks = ({ expected, arrived }: Entry<Place>): boolean => arrived < expected;

  function makeRoom(): void {
    mask = mask * 2 + 1;
    for (const term of entries.keys()) if (!isCompared(term)) entries.delete(term);
  }

  return {
    add(text, place) {
      for (const term of termsOf(text)) {
        if (!isCompared(term)) continue;
        const known = entries.get(term);
        if (known !== undefined) known.expected += 1;
        else entries.set(term, { place, expected: 1, arrived: 0, sought: 0 });
        while (entries.size > limit) makeRoom();
      }
    },
    arrive(text) {
      for (const term of termsOf(text)) {
        const known = entries.get(term);
        if (known !== undefined) known.arrived += 1;
      }
    },
    seek(text) {
      soughtTerms ??= [...entries].filter(([, entry]) => lacks(entry)).slice(0, maxSought);
      const letters = lettersOf(text);
      for (const [term, entry] of soughtTerms) {
        for (let at = letters.indexOf(term); at >= 0; at = letters.indexOf(term, at + term.length)) entry.sought += 1;
      }
    },
    compared: () =>
      Array.from(entries, ([term, { place, expected, arrived, sought }]) => ({
        term,
        times: expected,
        missing: Math.max(0, expected - Math.max(arrived, sought)),
        place,
      })),
  };
}

/** Returns the 32-bit FNV-1a hash, mixed as at the end of MurmurHash3 so that its low bits depend on all letters. */
function hashOf(term: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < term.length; at++) hash = Math.imul(hash ^ term.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return (hash ^ (hash >>> 13)) >>> 0;
}
