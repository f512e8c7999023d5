import type { LexicalSpace, PageKey, SearchScope, VectorSearches } from "../../domain/ports/vectors.ts";
import { wordsMeant } from "../parse/asked-words.ts";
import { pageCounter } from "../terms/page-counts.ts";
import type { WordsOnPages } from "../terms/words-on-pages.ts";

interface Asked {
  readonly question: string;
  readonly pages: readonly PageKey[];
  readonly workspaceId: SearchScope["workspaceId"];
}

/** The words of a question on pages of the workspace, in the order in which the pages are given, by all that pages are found by. */
export async function countWords(
  vectors: Pick<VectorSearches, "termsOf" | "hasWord">,
  space: LexicalSpace,
  { question, pages, workspaceId }: Asked,
): Promise<WordsOnPages> {
  const meant = await wordsMeant(question, { has: (word) => vectors.hasWord(space, word, workspaceId) });
  const count = pageCounter(meant);
  const texts = pages.length === 0 ? [] : await vectors.termsOf(space, pages, workspaceId);
  return { words: meant, pages: texts.map((text) => (text === undefined ? undefined : count(text))) };
}
