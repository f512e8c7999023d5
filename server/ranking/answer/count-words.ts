import type { LexicalSpace, PageKey, SearchedPages, VectorSearches } from "../../domain/ports/vectors.ts";
import { expandWords } from "../parse/query-words.ts";
import { pageCounter } from "../terms/page-counts.ts";
import type { WordsOnPages } from "../terms/words-on-pages.ts";

interface Query {
  readonly question: string;
  readonly pages: readonly PageKey[];
  /** The scope of the search that found the pages. */
  readonly searched: SearchedPages;
}

/** Counts the words of a question on pages of the workspace, in the order of `pages`, in all forms by which a search finds pages. */
export async function countWords(
  vectors: Pick<VectorSearches, "termsOf" | "hasWord">,
  space: LexicalSpace,
  { question, pages, searched }: Query,
): Promise<WordsOnPages> {
  const words = await expandWords(question, { has: (word) => vectors.hasWord(space, word, searched) });
  const count = pageCounter(words);
  const texts = pages.length === 0 ? [] : await vectors.termsOf(space, pages, searched.workspaceId);
  return { words, pages: texts.map((text) => (text === undefined ? undefined : count(text))) };
}
