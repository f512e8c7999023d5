import { type DocumentWarning, maxWarnings } from "../../../domain/documents/properties.ts";
import { type Place, quoted } from "./passage.ts";
import { readPassages } from "./source.ts";
import { type ComparedTerm, createTermTally } from "./tally.ts";

/**
 * Share of a source's words that may be missing without a warning if no whole passage is missing. Converters fill in some words
 * again, and cut off others. Fourteen real documents that convert correctly lack no word with either converter, so this leaves a
 * margin for others.
 */
const allowedShare = 0.02;
/** A document counts as lost if more than this share of its words is missing and it has at least this number of words. */
const lostShare = 0.95;
const tellingWords = 100;
/** A passage counts as lost if this number and this share of the words that only it has are missing. */
const wordsOfPassage = 3;
const shareOfPassage = 0.75;
/** Maximum words that a warning quotes. */
const maxExamples = 5;

export interface Losses {
  readonly warnings: readonly DocumentWarning[];
  /** Whether almost nothing of the source is on the pages. */
  readonly isLost: boolean;
}

export interface Comparison {
  /** Yields the words of each page; it is called twice if some seem to be missing. */
  readonly words: () => AsyncIterable<string>;
  /** Whether a system font has the letter; it is called for letters that the bundled fonts lack. */
  readonly hasFont: (letter: string) => Promise<boolean>;
  readonly signal: AbortSignal;
}

/**
 * Compares the words of an Office file that has passed the pre-check with those on its pages. Throws `XmlError` for a part
 * that is not well-formed, and the signal's reason.
 */
export async function findLosses(file: string, { words, hasFont, signal }: Comparison): Promise<Losses> {
  const tally = createTermTally<Place>();
  const letters = watchLetters();
  await readPassages(file, signal, ({ text, place }) => {
    tally.add(withoutUnknownLetters(text), place);
    letters.see(text);
  });
  const boxes = await letters.warnings(hasFont);
  for await (const text of words()) tally.arrive(text);
  if (tally.compared().every(({ missing }) => missing === 0)) return { warnings: boxes, isLost: false };
  for await (const text of words()) tally.seek(text);
  const { warnings, isLost } = judge(tally.compared());
  return { warnings: [...warnings, ...boxes].slice(-maxWarnings), isLost };
}

function judge(terms: readonly ComparedTerm<Place>[]): Losses {
  const words = terms.filter(({ place }) => place.code !== "chart");
  const total = sum(words.map(({ times }) => times));
  const missing = sum(words.map((term) => term.missing));
  const byPlace = Map.groupBy(terms, ({ place }) => place);
  const lost = [...byPlace].filter(([place, own]) => isLostPassage(place, own));
  const warnings = lost.map(([place, own]) => warningOf(place, own));
  if (missing > allowedShare * total) {
    const reported = new Set(lost.map(([place]) => place));
    // Words of a reported passage may occur first in another passage.
    const others = words.filter(
      (term) => term.missing > 0 && !reported.has(term.place) && (reported.size === 0 || term.missing === term.times),
    );
    for (const [page, some] of Map.groupBy(others, ({ place }) => place.page)) {
      warnings.push({
        code: "missing_words",
        message: `${examples(some)} ${some.length === 1 ? "is" : "are"} in the document and not on ${page === undefined ? "its pages" : "this page"}, first in ${some[0]?.place.where}; ${advice}`,
        page,
      });
    }
  }
  return { warnings, isLost: total >= tellingWords && missing > lostShare * total };
}

/** Whether the pages lack most of the words that only this passage has. Short passages may have no such words. */
function isLostPassage({ code }: Place, own: readonly ComparedTerm<Place>[]): boolean {
  const least = code === "missing_words" ? wordsOfPassage : 1;
  const missing = own.filter((term) => term.missing === term.times).length;
  return missing >= least && missing >= shareOfPassage * own.length;
}

function warningOf({ code, where, page }: Place, own: readonly ComparedTerm<Place>[]): DocumentWarning {
  const sentences = {
    missing_words: `${where} is not shown: ${examples(own)}`,
    formula: `${where}, which has a formula, is not shown: ${examples(own)}`,
    alt_chunk: `${where}, which has another format, is not shown: ${examples(own)}`,
    chart: `${where} is not shown`,
    locale: `${where} has dates in the manner of a language that are not shown as such: ${examples(own)}`,
  };
  return { code, message: `${sentences[code]}; ${advice}`, page };
}

const advice = "look at the page; if it matters, save the document as PDF yourself and upload that";

function examples(terms: readonly { readonly term: string }[]): string {
  const shown = terms.slice(0, maxExamples).map(({ term }) => quoted(term));
  const rest = terms.length - shown.length;
  return `${shown.join(", ")}${rest > 0 ? ` and ${rest.toLocaleString("en")} more` : ""}`;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((one, other) => one + other, 0);

/** Scripts whose letters the bundled fonts have (convert/fonts). */
const bundledScripts = [
  ..."Latin Greek Cyrillic Armenian Georgian Hebrew Arabic Lao Lisu Devanagari".split(" "),
  ..."Bengali Gurmukhi Gujarati Oriya Tamil Telugu Kannada Malayalam Sinhala Thai Tibetan Myanmar Khmer".split(" "),
  ..."Ethiopic Han Hiragana Katakana Hangul Bopomofo Common Inherited".split(" "),
];
const knownLetters = bundledScripts.map((script) => `\\p{Script=${script}}`).join("");
const unknownLetter = new RegExp(`(?![${knownLetters}])\\p{L}`, "gu");
const knownCharacter = new RegExp(`[${knownLetters}\\P{L}]`, "u");

/** Removes letters that may be shown as boxes: a box stands for several letters, so the pages do not have them as words. */
const withoutUnknownLetters = (text: string): string => text.replace(unknownLetter, "");

/** Maximum different letters to look up; a script has about a hundred. */
const maxLetters = 20;

/** Collects letters of scripts for which drs has no bundled font. */
interface LetterWatch {
  see(text: string): void;
  /** Returns a warning if a letter has no font according to `hasFont`, which is called for one letter after another. */
  warnings(hasFont: (letter: string) => Promise<boolean>): Promise<readonly DocumentWarning[]>;
}

function watchLetters(): LetterWatch {
  /** Each letter with the word in which it was first seen. */
  const seen = new Map<string, string>();
  return {
    see(text) {
      for (const word of text.match(/[\p{L}\p{M}]+/gu) ?? []) {
        for (const letter of word) {
          if (seen.size >= maxLetters) return;
          if (!knownCharacter.test(letter) && !seen.has(letter)) seen.set(letter, word);
        }
      }
    },
    async warnings(hasFont) {
      for (const [letter, word] of seen) {
        if (await hasFont(letter)) continue;
        const message = `letters as in ${quoted(word)} may be empty boxes on the pages: no font here has them; save the document as PDF yourself, with its fonts, and upload that`;
        return [{ code: "font", message }];
      }
      return [];
    },
  };
}
