import type { PageKey } from "../../domain/ports/vectors.ts";
import { canBeCompound, partsOfCompound } from "./compounds.ts";
import { canBeMisspelt, oneSlipAway } from "./spelling.ts";
import type { Identifier } from "../terms/terms.ts";

/** What words the pages of a workspace have. What other workspaces have must not matter, and what the datasets asked for have should not. */
export interface Vocabulary {
  has(word: string): Promise<boolean>;
  /** Notes the words that are on these pages of the workspace, as far as the pages are in memory: they need not be looked up. */
  note(words: readonly string[], pages: readonly PageKey[]): Promise<void>;
}

/** Words of a question that are looked up, and of those unknown, how many are asked for in other spellings or by their parts. */
const max = { lookedUp: 8, guessed: 2 };

/** The longest words that no page of the workspace has; of those that were found some have most of the words. */
async function unknownWords(
  { has, note }: Vocabulary,
  terms: readonly string[],
  found: readonly PageKey[],
): Promise<readonly string[]> {
  const words = terms
    .filter((word) => canBeMisspelt(word) || canBeCompound(word))
    .toSorted((one, other) => other.length - one.length)
    .slice(0, max.lookedUp);
  await note(words, found);
  const known = await Promise.all(words.map(has));
  return words.filter((_, at) => known[at] === false).slice(0, max.guessed);
}

/**
 * What may be meant by terms of a question that no page has, by term: the words that they are put together of, or else words one slip
 * away. `found`: pages that the question has found.
 */
export async function guessesFor(
  vocabulary: Vocabulary,
  terms: readonly string[],
  found: readonly PageKey[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const { has } = vocabulary;
  const guesses = (await unknownWords(vocabulary, terms, found)).map(async (word) => {
    const parts = canBeCompound(word) ? await partsOfCompound(word, has) : [];
    return [word, parts.length === 0 && canBeMisspelt(word) ? oneSlipAway(word) : parts] as const;
  });
  return new Map((await Promise.all(guesses)).filter(([, { length }]) => length > 0));
}

/** The parts of identifiers that no page of the workspace has as a whole: it may have them as words. */
export async function partsOfUnknown(
  { has }: Vocabulary,
  identifiers: readonly Identifier[],
): Promise<readonly string[]> {
  const some = identifiers.slice(0, max.lookedUp);
  const found = await Promise.all(some.map(({ whole }) => has(whole)));
  return some.flatMap(({ parts }, at) => (found[at] === true ? [] : parts));
}
