import type { Explanation } from "./explanation.ts";
import type { PackRanking } from "../../domain/ports/pack-ranking.ts";
import type { WordsOnPages } from "../../domain/ports/question-words.ts";
import type { PageKey } from "../../domain/ports/vectors.ts";
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
