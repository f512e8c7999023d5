import type { LexicalSpace, PageKey, SearchedPages, VectorSearches } from "../../domain/ports/vectors.ts";
import { wordsMeant } from "../parse/asked-words.ts";
import { pageCounter } from "../terms/page-counts.ts";
import type { WordsOnPages } from "../terms/words-on-pages.ts";

interface Asked {
  readonly question: string;
  readonly pages: readonly PageKey[];
  /** By the search that has found the pages. */
  readonly searched: SearchedPages;
}

/** The words of a question on pages of the workspace, in the order in which the pages are given, by all that pages are found by. */
export async function countWords(
  vectors: Pick<VectorSearches, "termsOf" | "hasWord">,
  space: LexicalSpace,
  { question, pages, searched }: Asked,
): Promise<WordsOnPages> {
  const meant = await wordsMeant(question, { has: (word) => vectors.hasWord(space, word, searched) });
  const count = pageCounter(meant);
  const texts = pages.length === 0 ? [] : await vectors.termsOf(space, pages, searched.workspaceId);
  return { words: meant, pages: texts.map((text) => (text === undefined ? undefined : count(text))) };
}
