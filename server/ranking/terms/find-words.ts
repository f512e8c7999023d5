import type { WeighedWord } from "../../domain/ports/weighed-word.ts";
import { rootOf } from "./word-root.ts";
import { cleaned, type Piece, splitCleaned } from "./split.ts";
import type { Stretch, TracedText } from "./traced-text.ts";
import { formsOnPage } from "./word-forms.ts";

/** Neighbouring words of a question in a text. */
export interface FoundWords extends Stretch {
  /** Which words of the question they are. */
  readonly words: ReadonlySet<WeighedWord>;
  /** How much its different words tell pages apart. */
  readonly weight: number;
}

/**
 * Where a text has the words, in its order and by the terms that the index has for it: those that follow each other with no
 * other word between them are one. The places are in what the text was before it was rewritten.
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

/** How much different words tell pages apart together. */
export const weightOf = (words: ReadonlySet<WeighedWord>): number =>
  [...words].reduce((sum, { weight }) => sum + weight, 0);

const isWord = /[\p{L}\p{N}]/u;

type AskedPiece = Stretch & { readonly asked: readonly WeighedWord[] };

/** The pieces of a text that are words of the question, in the order in which they begin. */
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
