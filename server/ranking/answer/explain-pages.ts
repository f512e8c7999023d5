import type { Domain } from "../../domain/domain.ts";
import { explain, type Explanation } from "./explain.ts";
import type { PackRanking } from "../../domain/ports/pack-ranking.ts";
import { pageCounter, type WordsOnPages } from "../terms/page-counts.ts";
import type { LexicalSpace, PageKey, SearchedPages, VectorSearches } from "../../domain/ports/vectors.ts";
import type { RankingCandidates } from "../rerank/reading.ts";
import { expandWords } from "../parse/query-words.ts";

/** The pack and the candidates that a ranking was computed from. */
export interface RankingInput {
  readonly pack: PackRanking;
  readonly gathered: RankingCandidates;
}

/**
 * `words` has the words of the question on the pages that the second stage has read, by the places of the candidates; undefined
 * if there are none.
 */
export interface RankingWithWords extends RankingInput {
  readonly words: WordsOnPages | undefined;
}

interface Query {
  readonly searched: SearchedPages;
  /** The words of the query; empty if there are none to find. */
  readonly text: string;
}

/** Adds to each ranking the words of the question on the pages that its second stage has read. */
export async function withWords(
  { vectors }: Pick<Domain, "vectors">,
  rankings: readonly RankingInput[],
  { text, searched }: Query,
): Promise<readonly RankingWithWords[]> {
  const count = async ({ pack, gathered }: RankingInput): Promise<WordsOnPages | undefined> => {
    const space = spaceOfWords(pack);
    if (space === undefined || text === "") return undefined;
    const { candidates, reading } = gathered;
    const read = [...candidates.pages.keys()].filter((place) => reading?.pages[place] !== undefined);
    const keys = read.flatMap((place) => candidates.pages[place] ?? []);
    const counted = await countWords(vectors, space, { question: text, pages: keys, searched });
    const pages: WordsOnPages["pages"][number][] = candidates.pages.map(() => undefined);
    for (const [at, place] of read.entries()) pages[place] = counted.pages[at];
    return { words: counted.words, pages };
  };
  return Promise.all(rankings.map(async (ranking) => ({ ...ranking, words: await count(ranking) })));
}

function spaceOfWords({ reads, spaces }: PackRanking): LexicalSpace | undefined {
  return reads?.words ?? spaces.find((space) => space.kind === "lexical");
}

/**
 * Explains the score of each page, by `rowKey`. If two packs have ranked a page, because its dataset is being moved from one to
 * the other, the higher score is explained.
 */
export function explainPages(
  rankings: readonly RankingWithWords[],
  pages: readonly PageKey[],
): ReadonlyMap<string, Explanation> {
  const best = new Map<string, Explanation>();
  for (const { pack, gathered, words } of rankings) {
    for (const [key, explanation] of explain(pack.fusion, { ...gathered, words }, pages)) {
      const known = best.get(key);
      if (known === undefined || scoreOf(known) < scoreOf(explanation)) best.set(key, explanation);
    }
  }
  return best;
}

const scoreOf = ({ parts }: Explanation): number =>
  parts.reduce((sum, { weight, probability }) => sum + weight * probability, 0);

interface CountQuery {
  readonly question: string;
  readonly pages: readonly PageKey[];
  /** The scope of the search that found the pages. */
  readonly searched: SearchedPages;
}

/**
 * Counts the words of a question on pages of the workspace, in all forms by which a search finds pages. The result is in the
 * order of `pages`.
 */
export async function countWords(
  vectors: Pick<VectorSearches, "termsOf" | "hasWord">,
  space: LexicalSpace,
  { question, pages, searched }: CountQuery,
): Promise<WordsOnPages> {
  const words = await expandWords(question, { has: (word) => vectors.hasWord(space, word, searched) });
  const count = pageCounter(words);
  const texts = pages.length === 0 ? [] : await vectors.termsOf(space, pages, searched.workspaceId);
  return { words, pages: texts.map((text) => (text === undefined ? undefined : count(text))) };
}
