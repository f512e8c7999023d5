import type { Candidates } from "./candidates.ts";
import type { Explanation } from "./explanation.ts";
import type { FoundTerms, WeighedWord, WordsOnPages } from "./question-words.ts";
import type { LexicalSpace, PageHit, PageKey, SpaceRef } from "./vectors.ts";

/** A model pack, as far as searching needs it: its spaces and how their hits become one ranking. */
export interface PackRanking {
  /** Names the pack in answers: `id@version`. */
  readonly id: string;
  readonly spaces: readonly SpaceRef[];
  /** The dense space whose vectors the `embedding_image` items serve. */
  readonly itemSpace: string;
  /** How many hits per space the fusion wants for a given number of results. */
  candidates(limit: number): number;
  /** What the second stage reads of the pages that were found; undefined: the pack has no second stage. */
  readonly reads?: SecondStage | undefined;
  /** The places of the candidates, at most so many, that have the best prospects of all before their words are read. */
  promising(candidates: Candidates, documents: Reading["documents"], most: number): readonly number[];
  /**
   * One ranking out of what the spaces have found, best first; `reading` of it, where the pack has a second stage and the
   * query has words. Scores are calibrated to 0..1 and fall along the ranking.
   */
  fuse(candidates: Candidates, reading?: Reading): readonly PageHit[];
  /** The words of a question with how much each tells the pages apart that were read; all alike where none were. */
  weighWords(read: WordsOnPages): readonly WeighedWord[];
  /** The text of a question without the words of the terms, unless nothing would be left that says something. */
  leaveOut(text: string, terms: readonly string[]): string;
  /** Why `fuse` gives these pages their scores, by `rowKey`; pages that were not found are left out. */
  explain(ranked: Ranked, pages: readonly PageKey[]): ReadonlyMap<string, Explanation>;
}

/** What a ranking was made of. */
export interface Ranked {
  readonly candidates: Candidates;
  readonly reading?: Reading | undefined;
  /** The words of the question, by the places of the candidates; undefined: they are not known, or there are none. */
  readonly words?: WordsOnPages | undefined;
}

export interface SecondStage {
  /** The space of `PackRanking.spaces` that has the words of pages. */
  readonly words: LexicalSpace;
  /**
   * The space whose unit is the document. It is not among `PackRanking.spaces`: its rows are made of those of `words`, and can
   * be made again.
   */
  readonly documents: LexicalSpace;
}

/** What a second stage has read for one question; `pages` by the places of the candidates. */
export interface Reading extends FoundTerms {
  /** By `documentKey`; empty where only one document is searched. */
  readonly documents: ReadonlyMap<string, DocumentEvidence>;
  /** Those of them that the question names and that have many pages, by `documentKey`; undefined: none. */
  readonly meant?: ReadonlySet<string>;
}

/** How well a document as such fits the question: BM25 of its rows (`documentRows`), 0 where they do not match. */
export interface DocumentEvidence {
  readonly name: number;
  readonly opening: number;
  readonly whole: number;
}

/** The same for all pages of one generation of a dataset's index. */
export const documentKey = ({ datasetId, generation }: Pick<PageHit, "datasetId" | "generation">): string =>
  `${datasetId}@${generation}`;
