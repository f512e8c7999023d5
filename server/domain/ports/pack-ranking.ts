import type { LexicalSpace, PageKey, SpaceRef } from "./vectors.ts";

/** A model pack, as far as searching needs it: its spaces and how their hits become one ranking. */
export interface PackRanking {
  /** Identifies the pack in answers: `id@version`. */
  readonly id: string;
  readonly spaces: readonly SpaceRef[];
  /** The dense space whose vectors the `embedding_image` items serve. */
  readonly itemSpace: string;
  /** The second stage's input from the pages that were found; undefined if the pack has no second stage. */
  readonly reads?: SecondStage | undefined;
  readonly fusion: FusionSettings;
}

export interface SecondStage {
  /** The space of `PackRanking.spaces` that has the words of pages. */
  readonly words: LexicalSpace;
  /**
   * The space whose unit is the document. It is not among `PackRanking.spaces`: its rows are derived from those of
   * `words`, and can be built again.
   */
  readonly documents: LexicalSpace;
}

/** Key of a document: the same for all pages of one generation of a dataset's index. */
export const documentKey = ({ datasetId, generation }: Pick<PageKey, "datasetId" | "generation">): string =>
  `${datasetId}@${generation}`;

/** Groups of spaces that answer one kind of query (words, or a picture), as in the manifest of a pack. */
export type FusionSettings = readonly FusionGroup[];

/** Converts the scores of a group's spaces into the odds that a page is relevant. */
export interface FusionGroup {
  /** Spaces by name; `curve` determines how a score enters the evidence. */
  readonly spaces: Readonly<Record<string, { readonly curve: "linear" | "sqrt" | "log"; readonly weight: number }>>;
  /** Raises pages that resemble the best ones; see `ranking/fuse/feedback.ts`. */
  readonly feedback?: FeedbackSettings | undefined;
  /**
   * Weights of textual features of pages and their documents, in addition to their evidence; see
   * `ranking/rerank/gains.ts`.
   */
  readonly ranker?: { readonly space: string; readonly weights: FeatureWeights } | undefined;
  /** Weight against the other groups, if a query uses several. */
  readonly weight: number;
  /** Odds of a page being relevant, by its evidence; see `ranking/calibrate/ranking.ts`. */
  readonly odds: {
    readonly offset: number;
    readonly slope: number;
    readonly prominence: number;
    readonly rivals?: { readonly weight: number; readonly sharpness: number } | undefined;
  };
  /** The evidence that irrelevant pages usually have. */
  readonly usual: number;
}

export interface FeedbackSettings {
  readonly space: string;
  readonly pages: number;
  readonly sharpness: number;
  readonly weight: number;
}

export const featureNames = [
  "pairs",
  "window",
  "heading",
  "numbers",
  "length",
  "documentName",
  "documentOpening",
  "documentWhole",
  "neighbours",
] as const;
export type FeatureName = (typeof featureNames)[number];
/** A feature without a weight has no effect. */
export type FeatureWeights = Readonly<Partial<Record<FeatureName, number | undefined>>>;
