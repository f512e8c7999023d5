import type { Table } from "@lancedb/lancedb";
import type { WordsOnPages } from "../../domain/ports/question-words.ts";
import type { LexicalSpace, PageKey } from "../../domain/ports/vectors.ts";
import { wordsMeant } from "../../ranking/parse/asked-words.ts";
import { pageCounter } from "../../ranking/terms/page-counts.ts";
import { loadLance } from "./lance.ts";
import type { WordMemory } from "./lexical.ts";
import { termsOf } from "./read-terms.ts";
import { createVocabulary } from "./vocabulary.ts";

interface Asked {
  /** Undefined: the workspace has none in the pack. */
  readonly table: Table | undefined;
  readonly question: string;
  readonly pages: readonly PageKey[];
}

/** See `VectorSearches.countWords`. */
export async function countWords(
  memory: WordMemory,
  space: LexicalSpace,
  { table, question, pages }: Asked,
): Promise<WordsOnPages> {
  if (table === undefined) return { words: await wordsMeant(question, undefined), pages: pages.map(() => undefined) };
  const vocabulary = createVocabulary(await loadLance(), { table, space, memory });
  const meant = await wordsMeant(question, vocabulary);
  const texts = pages.length === 0 ? [] : await termsOf(memory.terms, space, { table, pages });
  const count = pageCounter(meant);
  return { words: meant, pages: texts.map((text) => (text === undefined ? undefined : count(text))) };
}
