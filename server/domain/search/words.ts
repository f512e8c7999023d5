import { invalid } from "../errors.ts";
import type { WordConditions } from "../ports/vectors.ts";

/** The text of a query, and what it asks of the words of pages. */
export interface ReadText extends WordConditions {
  /** Without quotation marks, and without what is to be left out. */
  readonly text: string;
}

/** Bounds of what a query may ask of the words of pages; what comes after them counts as words. */
const max = { phrases: 8, without: 16 };

const phrase = /(?<!\p{N})(?:"(?<straight>[^"]*)"|[“„](?<curly>[^“”„]*)[“”]|«(?<angular>[^«»]*)»)/gu;
/** At least three letters, after a space: `-5` is a number, `-v` an option, `e-mail` a word. */
const leftOut = /(?<=^|\s)[-−](?<word>\p{L}{3,})(?=$|[\s,;])/gu;
const hasLetters = /[\p{L}\p{N}]/u;

/**
 * What the text of a query says: `"exact phrases"` in quotation marks of any kind, which pages must have, `-words` that they
 * must not have, and words. Throws `Invalid` if there is nothing but words to leave out.
 */
export function readText(written: string): ReadText {
  const phrases: string[] = [];
  const without: string[] = [];
  const text = written
    .replace(phrase, (whole, ...rest: unknown[]) => {
      const { straight = "", curly = "", angular = "" } = groupsOf(rest);
      const inside = straight || curly || angular;
      if (!hasLetters.test(inside) || phrases.length === max.phrases) return whole;
      phrases.push(inside.trim());
      return ` ${inside} `;
    })
    .replace(leftOut, (whole, ...rest: unknown[]) => {
      const { word = "" } = groupsOf(rest);
      if (phrases.some((one) => one.includes(whole)) || without.length === max.without) return whole;
      without.push(word);
      return "";
    })
    .trim();
  if (without.length > 0 && !hasLetters.test(text)) {
    throw invalid(`the query only says what to leave out (-${without.join(" -")}); add words to look for`);
  }
  return { text: phrases.length + without.length === 0 ? written : text, phrases, without };
}

/** The named groups, which `replace` gives last. */
function groupsOf(rest: readonly unknown[]): Readonly<Record<string, string | undefined>> {
  const last = rest.at(-1);
  return isGroups(last) ? last : {};
}

const isGroups = (value: unknown): value is Readonly<Record<string, string | undefined>> =>
  typeof value === "object" && value !== null;
