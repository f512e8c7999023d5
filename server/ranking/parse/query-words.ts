import type { ExpandedWord } from "../terms/page-counts.ts";
import { asInLayers, layerWritings } from "../terms/layer-writings.ts";
import { cleaned, type Piece, splitCleaned } from "../terms/split.ts";
import { stopWordsOf } from "../terms/stop-words.ts";
import { TracedText } from "../terms/traced-text.ts";
import { formsInQuestion } from "../terms/word-forms.ts";
import { wordRoot } from "../terms/word-root.ts";
import { queryTerms, maxQuestionLength, splitQuestion } from "../terms/terms.ts";
import { guessesFor, partsOfUnknown, type Vocabulary } from "./guesses.ts";

/**
 * Returns the words of a question with all forms that a search looks for, by the same rules as the search. `vocabulary` is
 * undefined if there are no pages that could have the words.
 */
export async function expandWords(
  question: string,
  vocabulary: Vocabulary | undefined,
): Promise<readonly ExpandedWord[]> {
  const { terms, identifiers } = queryTerms(question);
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

/** A word of a question as it is written, with the terms of `queryTerms` that a search uses for it. */
interface QueryWord {
  readonly written: string;
  readonly terms: readonly string[];
  /** The parts of an identifier, which are searched if no page has the whole identifier. */
  readonly parts: readonly string[];
}

/** Maximum number of words; longer texts have enough other words to be found by. */
const maxWords = 64;

/** Returns the words that a question asks for, in its order, one per root. Words joined by a hyphen come last. */
export function askedWords(text: string): readonly QueryWord[] {
  const { inOrder, joined, words } = splitQuestion(text);
  const stops = stopWordsOf(words.map(({ folded }) => folded));
  const isTelling = (term: string): boolean => !stops.has(term.toLowerCase());
  const pieces = [...inOrder, ...joined].map((piece) => ({ ...piece, ...ownTerms(piece) }));
  const isAny = pieces.some(({ own }) => own.some(isTelling));
  const formsIn = isAny ? formsInQuestion(words) : () => [];
  const written = writtenWords(text);
  const found = new Map<string, QueryWord>();
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

/** Returns the terms of a piece, and the parts of an identifier. The parts of a code, such as `ISO9001`, are always searched. */
function ownTerms({ terms }: Pick<Piece, "terms">): {
  readonly own: readonly string[];
  readonly parts: readonly string[];
} {
  const [whole = "", ...parts] = terms;
  return parts.length === 0 || /\p{Nd}/u.test(whole) ? { own: terms, parts: [] } : { own: [whole], parts };
}

/** Returns the words of a question as they are first written, by the roots of their first terms. */
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
