import { type DocumentWarning } from "../../../domain/documents/warning.ts";
import { quoted } from "./passage.ts";

/** Scripts whose letters the bundled fonts have (convert/fonts). */
const bundledScripts = [
  ..."Latin Greek Cyrillic Armenian Georgian Hebrew Arabic Lao Lisu Devanagari".split(" "),
  ..."Bengali Gurmukhi Gujarati Oriya Tamil Telugu Kannada Malayalam Sinhala Thai Tibetan Myanmar Khmer".split(" "),
  ..."Ethiopic Han Hiragana Katakana Hangul Bopomofo Common Inherited".split(" "),
];
const known = bundledScripts.map((script) => `\\p{Script=${script}}`).join("");
const unknownLetter = new RegExp(`(?![${known}])\\p{L}`, "gu");
const knownCharacter = new RegExp(`[${known}\\P{L}]`, "u");

/** Removes letters that may be shown as boxes: a box stands for several letters, so they do not arrive as words. */
export const withoutUnknownLetters = (text: string): string => text.replace(unknownLetter, "");

/** Maximum different letters that are looked up: a script has some hundred. */
const maxLetters = 20;

/** Collects letters of scripts for which drs has no bundled font. */
export interface LetterWatch {
  see(text: string): void;
  /** Returns a warning if a letter has no font according to `hasFont`, which is called for one letter after another. */
  warnings(hasFont: (letter: string) => Promise<boolean>): Promise<readonly DocumentWarning[]>;
}

export function watchLetters(): LetterWatch {
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
