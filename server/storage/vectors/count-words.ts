import type { WorkspaceId } from "../../domain/ids.ts";
import type { AskedWord, WordsOnPages } from "../../domain/ports/question-words.ts";
import type { LexicalSpace, PageKey } from "../../domain/ports/vectors.ts";
import { wordRoot } from "../../ranking/terms/word-root.ts";
import { askedWords, type WordAskedFor } from "../../ranking/parse/asked-words.ts";
import { retryVanished } from "./conflicts.ts";
import { guessesFor, partsOfUnknown, type Vocabulary } from "../../ranking/parse/guesses.ts";
import { loadLance } from "./lance.ts";
import type { WordMemory } from "./lexical.ts";
import { pageCounter } from "../../ranking/terms/page-counts.ts";
import { termsOf } from "./read-terms.ts";
import type { Tables } from "./tables.ts";
import { askedTerms } from "../../ranking/terms/terms.ts";
import { createVocabulary } from "./vocabulary.ts";

interface Asked {
  readonly question: string;
  readonly pages: readonly PageKey[];
  readonly workspaceId: WorkspaceId;
}

/** See `VectorSearches.countWords`. */
export async function countWords(
  { tables, known, terms: memory }: Pick<WordMemory, "known" | "terms"> & { readonly tables: Pick<Tables, "find"> },
  space: LexicalSpace,
  { question, pages, workspaceId }: Asked,
): Promise<WordsOnPages> {
  const words = askedWords(question);
  const table = await tables.find(space);
  if (table === undefined) {
    return { words: words.map((word) => asked(word, new Set(), new Map())), pages: pages.map(() => undefined) };
  }
  const lance = await loadLance();
  return retryVanished(async () => {
    const vocabulary = createVocabulary(lance, { table, space, known, inMemory: memory.terms, workspaceId });
    const meant = await wordsMeant(vocabulary, question, words);
    const texts = pages.length === 0 ? [] : await termsOf(memory, { table, workspaceId, pages });
    const count = pageCounter(meant);
    return { words: meant, pages: texts.map((text) => (text === undefined ? undefined : count(text))) };
  });
}

/** The words with what is meant by them, by the same rules as in a search. */
async function wordsMeant(
  vocabulary: Vocabulary,
  question: string,
  words: readonly WordAskedFor[],
): Promise<readonly AskedWord[]> {
  const { terms, identifiers } = askedTerms(question);
  const parts = await partsOfUnknown(vocabulary, identifiers);
  const guesses = await guessesFor(vocabulary, [...terms, ...parts], []);
  return words.map((word) => asked(word, new Set(parts), guesses));
}

function asked(
  { written, terms, parts }: WordAskedFor,
  partsOfUnknown: ReadonlySet<string>,
  guesses: ReadonlyMap<string, readonly string[]>,
): AskedWord {
  const all = [...terms, ...parts.filter((part) => partsOfUnknown.has(part))];
  return {
    written,
    roots: [...new Set(all.map(wordRoot))],
    guesses: [...new Set(all.flatMap((term) => guesses.get(term) ?? []).map(wordRoot))],
  };
}
