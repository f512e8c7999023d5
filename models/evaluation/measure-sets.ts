import { rankedIn } from "../../server/ranking/testing/ranked-in.ts";
import type { PageHit } from "../../server/domain/ports/vectors.ts";
import { rankCandidates } from "../../server/ranking/calibrate/ranking.ts";
import type { RankingCandidates } from "../../server/ranking/rerank/reading.ts";
import type { LoadedPack } from "../../server/embedding/pack.ts";
import { indexSet, withOwnIndex } from "./index-set.ts";
import { type Quality, qualityOf } from "./quality.ts";
import type { EvaluationSet } from "./sets.ts";

/** The results of the spaces of a pack for each question of a set. */
export interface SearchedSet {
  readonly set: EvaluationSet;
  readonly found: readonly RankingCandidates[];
}

/** Concurrent searches; the store computes on its own threads. */
const atOnce = 4;

/** Ranks a set with the pack and the store, without a server, in the same order as the service. */
export async function searchSet(pack: LoadedPack, set: EvaluationSet): Promise<SearchedSet> {
  return withOwnIndex(async (vectors) => {
    const index = await indexSet(pack, vectors, set);
    const found: RankingCandidates[] = [];
    const questions = set.questions.entries();
    const searchers = Array.from({ length: atOnce }, async () => {
      for (const [place, { text }] of questions) found[place] = await index.search(text);
    });
    await Promise.all(searchers);
    return { set, found };
  });
}

type Rankings = Readonly<Record<string, Quality>>;

/** Rates the ranking of each space, and of all of them fused. */
export function rateSet(pack: Pick<LoadedPack, "spaces" | "fusion">, { set, found }: SearchedSet): Rankings {
  const rate = (rank: (one: RankingCandidates) => readonly PageHit[]): Quality =>
    qualityOf(
      found.map((one) => placesOf(rank(one))),
      set.questions.map(({ answers }) => answers),
    );
  const ranking = pack.spaces.filter((space) => space.kind === "lexical" || space.firstPass !== "none");
  const asked = ranking
    .map(({ name }) => name)
    .filter((name) => found.some(({ candidates }) => candidates.spaces.has(name)));
  return Object.fromEntries([
    ...asked.map((name) => [name, rate(({ candidates }) => rankedIn(candidates, name))] as const),
    ["first stage", rate(({ candidates }) => rankCandidates(pack.fusion, candidates))] as const,
    ["fused", rate(({ candidates, reading }) => rankCandidates(pack.fusion, candidates, reading))] as const,
  ]);
}

/** Returns the indexes of the documents; page 1 is the first document of the set. */
export const placesOf = (ranking: readonly PageHit[]): number[] => ranking.map(({ page }) => page - 1);
