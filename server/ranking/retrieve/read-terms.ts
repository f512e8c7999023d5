import type { LexicalSpace, PageKey, SearchScope, VectorSearches } from "../../domain/ports/vectors.ts";
import { findInTexts, type TermsOnPage } from "../terms/find-in-texts.ts";
import { layerWritings } from "../terms/layer-writings.ts";
import { questionTerms } from "../terms/terms.ts";

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
