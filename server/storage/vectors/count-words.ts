import type { WorkspaceId } from "../../domain/ids.ts";
import type { WordsOnPages } from "../../domain/ports/question-words.ts";
import type { LexicalSpace, PageKey } from "../../domain/ports/vectors.ts";
import { wordsMeant } from "../../ranking/parse/asked-words.ts";
import { retryVanished } from "./conflicts.ts";
import { loadLance } from "./lance.ts";
import type { WordMemory } from "./lexical.ts";
import { pageCounter } from "../../ranking/terms/page-counts.ts";
import { termsOf } from "./read-terms.ts";
import type { Tables } from "./tables.ts";
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
  const table = await tables.find(space);
  if (table === undefined) return { words: await wordsMeant(question, undefined), pages: pages.map(() => undefined) };
  const lance = await loadLance();
  return retryVanished(async () => {
    const vocabulary = createVocabulary(lance, { table, space, known, inMemory: memory.terms, workspaceId });
    const meant = await wordsMeant(question, vocabulary);
    const texts = pages.length === 0 ? [] : await termsOf(memory, { table, workspaceId, pages });
    const count = pageCounter(meant);
    return { words: meant, pages: texts.map((text) => (text === undefined ? undefined : count(text))) };
  });
}
