import type { AskedWord } from "../terms/words-on-pages.ts";
import { asInLayers, layerWritings } from "../terms/layer-writings.ts";
import { cleaned, type Piece, splitCleaned } from "../terms/split.ts";
import { stopWordsOf } from "../terms/stop-words.ts";
import { TracedText } from "../terms/traced-text.ts";
import { formsInQuestion } from "../terms/word-forms.ts";
import { wordRoot } from "../terms/word-root.ts";
import { askedTerms, maxQuestionLength, splitQuestion } from "../terms/terms.ts";
import { guessesFor, partsOfUnknown, type Vocabulary } from "./guesses.ts";

/**
 * The words of a question with what is meant by them, by the same rules as in a search. Undefined: there are no pages that could
 * have them.
 */
export async function wordsMeant(question: string, vocabulary: Vocabulary | undefined): Promise<readonly AskedWord[]> {
  const { terms, identifiers } = askedTerms(question);
  const parts = vocabulary === undefined ? [] : await partsOfUnknown(vocabulary, identifiers);
  const guesses = vocabulary && (await guessesFor(vocabulary, [...terms, ...parts], []));
  return askedWords(question).map((word) => {
    const all = [...word.terms, ...word.parts.filter((part) => parts.includes(part))];
    return {
      written: word.written,
      roots: [...new Set(all.map(wordRoot))],
      guesses: [...new Set(all.flatMap((term) => guesses?.get(term) ?? []).map(wordRoot))],
    };
  });
}

/** A word of a question as it is written, with the terms of `askedTerms` that are asked for in its place. */
export interface WordAskedFor {
  readonly written: string;
  readonly terms: readonly string[];
  /** Of an identifier. They are asked for where no page has it as a whole. */
  readonly parts: readonly string[];
}

/** Terms of which more are asked for are not looked at one by one: texts of that length are found by their many words. */
const maxWords = 64;

/** The words that a question asks for, in its order, those with the same root once. Those that a hyphen joins come last. */
export function askedWords(text: string): readonly WordAskedFor[] {
  const { inOrder, joined, words } = splitQuestion(text);
  const stops = stopWordsOf(words.map(({ folded }) => folded));
  const isTelling = (term: string): boolean => !stops.has(term.toLowerCase());
  const pieces = [...inOrder, ...joined].map((piece) => ({ ...piece, ...ownTerms(piece) }));
  const isAny = pieces.some(({ own }) => own.some(isTelling));
  const formsIn = isAny ? formsInQuestion(words) : () => [];
  const written = writtenWords(text);
  const found = new Map<string, WordAskedFor>();
  for (const { own, parts, word } of pieces) {
    const [whole = ""] = own;
    const forms = word !== undefined && isTelling(whole) ? formsIn(whole) : [];
    const others = word !== undefined && isAny ? layerWritings(whole).flatMap((one) => [one, ...formsIn(one)]) : [];
    const terms = [...(isAny ? own.filter(isTelling) : own), ...forms, ...others];
    const root = wordRoot(whole);
    const before = found.get(root);
    if (terms.length === 0 || (before === undefined && found.size === maxWords)) continue;
    found.set(root, {
      written: before?.written ?? written.get(root) ?? whole,
      terms: [...(before?.terms ?? []), ...terms],
      parts: [...(before?.parts ?? []), ...parts],
    });
  }
  return [...found.values()];
}

/** The parts of a code, as of `ISO9001`, are always asked for. */
function ownTerms({ terms }: Pick<Piece, "terms">): {
  readonly own: readonly string[];
  readonly parts: readonly string[];
} {
  const [whole = "", ...parts] = terms;
  return parts.length === 0 || /\p{Nd}/u.test(whole) ? { own: terms, parts: [] } : { own: [whole], parts };
}

/** By the roots of their first terms, the words of a question as it has them first. */
function writtenWords(text: string): ReadonlyMap<string, string> {
  const bounded = text.slice(0, maxQuestionLength);
  const clean = cleaned(asInLayers(new TracedText(bounded)));
  const { inOrder, joined } = splitCleaned(clean.text);
  const written = [...inOrder, ...joined].map((piece) => {
    const { from, to } = clean.originOf(piece);
    return [wordRoot(piece.terms[0] ?? ""), bounded.slice(from, to)] as const;
  });
  return new Map(written.toReversed());
}
