import type { FusionSettings } from "../../domain/ports/pack-ranking.ts";
import type { WordsOnPages } from "../terms/page-counts.ts";
import { withDocuments } from "../fuse/documents.ts";
import { add, amountsOfSpaces } from "../fuse/fusion.ts";
import { bestFirst, type Candidates } from "../retrieve/candidates.ts";
import type { KnownDocuments } from "../retrieve/documents.ts";
import type { LexicalSpace, PageKey, SearchScope, VectorSearches } from "../../domain/ports/vectors.ts";
import { findInTexts, type TermsOnPage } from "../terms/find-in-texts.ts";
import { layerWritings } from "../terms/layer-writings.ts";
import { questionTerms } from "../terms/terms.ts";

/** The terms and documents that a second stage has read for one question; `pages` is by the places of the candidates. */
export type Reading = FoundTerms & KnownDocuments;

/** The input of a ranking. */
export interface RankingCandidates {
  readonly candidates: Candidates;
  /** Undefined if the pack has no second stage, or the query has no words. */
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
 * Returns the places of the candidates to read in the second stage: the `most` with the highest evidence of the spaces and of
 * their documents, highest first. The evidence of documents is included because pages of a document that the question names are
 * not the first in any space.
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

type Reader = Pick<VectorSearches, "termsOf">;

interface Query {
  readonly question: string;
  readonly pages: readonly PageKey[];
  readonly workspaceId: SearchScope["workspaceId"];
}

/** The places of a question's terms on pages. */
export interface FoundTerms {
  /** The terms of the question, in its order. */
  readonly question: readonly string[];
  /** The places on each page; undefined if it has no terms in the space, or was not read. */
  readonly pages: readonly (TermsOnPage | undefined)[];
}

/** Finds the terms of a question on pages of the workspace, in the order of `pages`. */
export async function findTerms(
  vectors: Reader,
  space: LexicalSpace,
  { question, pages, workspaceId }: Query,
): Promise<FoundTerms> {
  const terms = questionTerms(question);
  const others = terms.flatMap((term, at) => layerWritings(term).map((written) => ({ written, at })));
  const wanted = [...terms, ...others.map(({ written }) => written)];
  const found = findInTexts(wanted, await vectors.termsOf(space, pages, workspaceId));
  if (others.length === 0) return { question: terms, pages: found };
  const asked = (term: number): number => others[term - terms.length]?.at ?? term;
  return { question: terms, pages: found.map((page) => page && { ...page, asked: page.asked.map(asked) }) };
}
