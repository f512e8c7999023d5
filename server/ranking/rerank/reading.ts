import type { FusionSettings } from "../../domain/ports/pack-ranking.ts";
import type { FoundTerms } from "../retrieve/read-terms.ts";
import type { WordsOnPages } from "../terms/page-counts.ts";
import { withDocuments } from "../fuse/documents.ts";
import { add, amountsOfSpaces } from "../fuse/fusion.ts";
import { bestFirst, type Candidates } from "../retrieve/candidates.ts";
import type { KnownDocuments } from "../retrieve/documents.ts";

/** The terms and documents that a second stage has read for one question; `pages` is by the places of the candidates. */
export type Reading = FoundTerms & KnownDocuments;

/** The input of a ranking. */
export interface RankingCandidates {
  readonly candidates: Candidates;
  /** Undefined if the pack reads no pages, or the query has no words. */
  readonly reading?: Reading | undefined;
}

/** The input of a ranking that is to be explained. */
export interface Ranked extends RankingCandidates {
  /** The words of the question, by the places of the candidates; undefined if they are unknown, or there are none. */
  readonly words?: WordsOnPages | undefined;
}

interface RerankOptions extends Pick<KnownDocuments, "documents"> {
  readonly most: number;
}

/**
 * The places of the candidates to read in the second stage: the `most` with the highest evidence of the spaces and of their
 * documents, highest first. Pages of a document that the question names are not the first in any space.
 */
export function rerankCandidates(
  groups: FusionSettings,
  found: Candidates,
  { documents, most }: RerankOptions,
): readonly number[] {
  const group = groups.find(({ ranker }) => ranker !== undefined);
  if (group === undefined || found.pages.length <= most) return [...found.pages.keys()];
  const sum = new Float64Array(found.pages.length);
  for (const { amounts } of amountsOfSpaces(group, found)) add(sum, amounts);
  return bestFirst(found.pages, withDocuments(group, found, { sum, documents })).slice(0, most);
}
