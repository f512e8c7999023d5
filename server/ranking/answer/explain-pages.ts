import type { Domain } from "../../domain/domain.ts";
import type { Explanation } from "./explanation.ts";
import type { PackRanking } from "../../domain/ports/pack-ranking.ts";
import type { WordsOnPages } from "../terms/words-on-pages.ts";
import type { LexicalSpace, PageKey, SearchedPages } from "../../domain/ports/vectors.ts";
import { countWords } from "./count-words.ts";
import { explain } from "./explain.ts";
import type { Gathered } from "../rerank/reading.ts";

/** What a pack's ranking was made of. */
export interface KeptRanking {
  readonly pack: PackRanking;
  readonly gathered: Gathered;
}

/** The words of the question are by the places of the candidates, of pages that the pack has read; undefined: there are none. */
export interface CountedRanking extends KeptRanking {
  readonly words: WordsOnPages | undefined;
}

interface Asked {
  readonly searched: SearchedPages;
  /** The words of the query; empty: there are none to be found. */
  readonly text: string;
}

/** The rankings with the words of the question on the pages that their packs have read. */
export async function withWords(
  { vectors }: Pick<Domain, "vectors">,
  rankings: readonly KeptRanking[],
  { text, searched }: Asked,
): Promise<readonly CountedRanking[]> {
  const count = async ({ pack, gathered }: KeptRanking): Promise<WordsOnPages | undefined> => {
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
 * Why each of the pages has its score, by `rowKey`. A page that two packs have ranked, because it is changing from one to the
 * other, has the score of the pack that gave it the higher one.
 */
export function explainPages(
  rankings: readonly CountedRanking[],
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
