import { type DocumentWarning } from "../../../domain/documents/warning.ts";
import { quoted } from "./passage.ts";

/** Scripts of which the fonts that drs brings have the letters (convert/fonts). */
const brought = [
  ..."Latin Greek Cyrillic Armenian Georgian Hebrew Arabic Lao Lisu Devanagari".split(" "),
  ..."Bengali Gurmukhi Gujarati Oriya Tamil Telugu Kannada Malayalam Sinhala Thai Tibetan Myanmar Khmer".split(" "),
  ..."Ethiopic Han Hiragana Katakana Hangul Bopomofo Common Inherited".split(" "),
];
const known = brought.map((script) => `\\p{Script=${script}}`).join("");
const unknownLetter = new RegExp(`(?![${known}])\\p{L}`, "gu");
const knownCharacter = new RegExp(`[${known}\\P{L}]`, "u");

/** The text without them: a box stands for several letters, so that they do not arrive in its words. */
export const withoutUnknownLetters = (text: string): string => text.replace(unknownLetter, "");

/** Different letters that are asked about: a script has some hundred. */
const maxAsked = 20;

/** Notes letters of scripts for which drs brings no font. */
export interface LetterWatch {
  see(text: string): void;
  /** A warning for those that `hasFont` does not know either; `hasFont` is asked for one letter after another. */
  warnings(hasFont: (letter: string) => Promise<boolean>): Promise<readonly DocumentWarning[]>;
}

export function watchLetters(): LetterWatch {
  /** Letters, each with the word that it was first seen in. */
  const seen = new Map<string, string>();
  return {
    see(text) {
      for (const word of text.match(/[\p{L}\p{M}]+/gu) ?? []) {
        for (const letter of word) {
          if (seen.size >= maxAsked) return;
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
