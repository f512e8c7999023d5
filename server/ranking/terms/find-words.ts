import type { WeighedWord } from "../../domain/ports/worker.ts";
import { rootOf } from "./word-root.ts";
import { cleaned, type Piece, splitCleaned } from "./split.ts";
import type { Stretch, TracedText } from "./traced-text.ts";
import { formsOnPage } from "./word-forms.ts";

/** Neighbouring words of a question in a text. */
export interface FoundWords extends Stretch {
  /** The words of the question that were found. */
  readonly words: ReadonlySet<WeighedWord>;
  /** The sum of the weights of the different words in `words`. */
  readonly weight: number;
}

/**
 * Finds the words in a text, in order, by the terms that the index has for it. Words with no other word between them form one
 * result. The places refer to the original text, before it was rewritten.
 */
export function findWords(text: TracedText, words: readonly WeighedWord[]): readonly FoundWords[] {
  if (words.length === 0) return [];
  const clean = cleaned(text);
  const found: { from: number; to: number; words: Set<WeighedWord> }[] = [];
  for (const { from, to, asked } of askedPieces(clean.text, words)) {
    const last = found.at(-1);
    if (last !== undefined && !isWord.test(clean.text.slice(last.to, from))) {
      last.to = Math.max(last.to, to);
      for (const word of asked) last.words.add(word);
    } else found.push({ from, to, words: new Set(asked) });
  }
  return found.map(({ words: some, ...place }) => ({ ...clean.originOf(place), words: some, weight: weightOf(some) }));
}

/** Returns the sum of the weights of different words. */
export const weightOf = (words: ReadonlySet<WeighedWord>): number =>
  [...words].reduce((sum, { weight }) => sum + weight, 0);

const isWord = /[\p{L}\p{N}]/u;

type AskedPiece = Stretch & { readonly asked: readonly WeighedWord[] };

/** Returns the pieces of a text that are words of the question, ordered by their beginnings. */
function askedPieces(clean: string, words: readonly WeighedWord[]): readonly AskedPiece[] {
  const wordOf = new Map(words.flatMap((word) => word.roots.map((root) => [root, word] as const)).toReversed());
  const { inOrder, joined, words: ofText } = splitCleaned(clean);
  const { beginningsOf, endsOf } = formsOnPage(ofText);
  const termsOf = ({ terms, word }: Piece): readonly string[] =>
    word === undefined ? terms : [...terms, ...beginningsOf(word), ...endsOf(word)];
  return [...inOrder, ...joined]
    .map((piece) => ({
      ...piece,
      asked: termsOf(piece).flatMap((term) => wordOf.get(rootOf(term.toLowerCase())) ?? []),
    }))
    .filter(({ asked }) => asked.length > 0)
    .toSorted((one, other) => one.from - other.from);
}
