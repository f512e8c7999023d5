import type { DatasetId, WorkspaceId } from "../ids.ts";
import { rememberTexts } from "../page-map.ts";

/** One index of a model pack: dense vectors, or words for full-text ranking. Rows of different packs never mix. */
export type SpaceRef =
  | {
      readonly kind: "dense";
      readonly pack: string;
      readonly name: string;
      readonly dimensions: number;
      /** `best` when undefined. */
      readonly scoring?: Scoring;
      /** `all` when undefined. */
      readonly firstPass?: FirstPass;
      /** Whether hits carry the page's first vector; false by default. */
      readonly givesVectors?: boolean;
    }
  | {
      readonly kind: "lexical";
      readonly pack: string;
      readonly name: string;
      /** The unit of its rows; pages by default. */
      readonly unit?: "page" | "document";
    };

/**
 * The score of a page. `best`: the cosine of the query with the nearest of the page's vectors. `max-sim`: the mean,
 * over the query's vectors, of the cosine with the nearest of the page's (late interaction: Khattab and Zaharia,
 * "ColBERT", 2020, divided by the number of the query's vectors).
 */
export type Scoring = "best" | "max-sim";

/**
 * The vectors by which the index finds candidates, which are then compared by all of their vectors. `pooled`: a few
 * vectors that represent the others (`DenseRow.pooled`), which makes the index many times smaller. `first`, if the
 * scoring is `best`: the page's first vector, towards which the others lean; only their directions are stored, as
 * codes that give cosines with an error of some 0.001. `none`: the space finds no candidates; it only scores pages
 * that other spaces have found.
 */
export type FirstPass = "all" | "pooled" | "first" | "none";

export type DenseSpace = Extract<SpaceRef, { kind: "dense" }>;
export type LexicalSpace = Extract<SpaceRef, { kind: "lexical" }>;

/**
 * Identifies a row: a page in one generation of its dataset's index. A generation is a token of up to 32 characters
 * of `0-9a-z`, chosen by the builder of the index; the empty token stands for rows that were written before there
 * were generations. Rows of different generations coexist and never replace or remove one another, so a process that
 * still writes or removes rows of a retired generation cannot harm the current one. The store does not know which
 * generation is current.
 */
export interface PageKey {
  readonly datasetId: DatasetId;
  readonly page: number;
  readonly generation: string;
}

/** Returns the same key for the same row, and for no other. */
export const rowKey: (page: PageKey) => string = rememberTexts(
  ({ datasetId, page, generation }: PageKey) => `${datasetId}/${page}@${generation}`,
);

interface PageRow extends PageKey {
  readonly workspaceId: WorkspaceId;
}

/**
 * A page in a dense space: one vector or several (the whole page first, then its parts). They are stored as 16-bit
 * floats, so that a returned vector has an error of up to 0.05 % in each of its values; if the first pass is `first`,
 * this holds only for the first vector.
 */
export interface DenseRow extends PageRow {
  readonly vectors: readonly Float32Array[];
  /** If the space's first pass is `pooled`, the vectors that represent the page; by default its first vector. */
  readonly pooled?: readonly Float32Array[];
}

/** One vector, or several where the space's scoring is `max-sim`. */
export type DenseQuery = Float32Array | readonly Float32Array[];

export interface LexicalRow extends PageRow {
  readonly words: string;
}

/** A stored row of a lexical space: its words as terms, in the order of the page. */
export interface TermsRow extends PageRow {
  readonly terms: string;
}

/**
 * Values of `PageKey.page` in a lexical space whose unit is the document, for the rows of a document: its name, its
 * first pages, and all of its pages.
 */
export const documentRows = { name: 0, opening: 1, whole: 2 } as const;

/** A stored row of a space whose first pass is `first`: its first vector, and the codes of all. */
export interface CodedRow extends PageRow {
  readonly first: Float32Array;
  readonly codes: Uint8Array;
}

/** A row as stored, which another store can take unchanged. */
export type StoredRow = DenseRow | CodedRow | TermsRow;

export interface PageHit extends PageKey {
  /** Dense: cosine similarity by the space's scoring, -1 to 1. Lexical: BM25 as in an index of 1,000 pages, from 0 up. */
  readonly score: number;
  /**
   * Only in a dense space that gives vectors; if the first pass is `first`, with an error of a hundredth of its
   * largest value.
   */
  readonly vector?: Float32Array;
}

/** Returns the subset of the ids whose datasets pass a filter. */
export type Pass = (ids: ReadonlySet<DatasetId>) => Promise<ReadonlySet<DatasetId>>;

/** The pages of a workspace that a search sees. */
export interface SearchedPages {
  readonly workspaceId: WorkspaceId;
  /**
   * Only these datasets (all vectors are compared, up to some thousand pages, unless the first pass is `first`);
   * undefined for the whole workspace.
   */
  readonly datasetIds: readonly DatasetId[] | undefined;
  /** Only datasets that pass, in addition to `datasetIds`; used if they are too many to be listed. */
  readonly pass?: Pass | undefined;
  /** Excludes datasets whose rows in the index are incomplete or outdated. */
  readonly without?: readonly DatasetId[];
  /**
   * The pages that word statistics and the vocabulary are counted in. `scope`: only the pages that the search sees, so that
   * scores, orders and spelling guesses reveal nothing of pages that are hidden from the caller. Default: the workspace.
   */
  readonly statistics?: "workspace" | "scope";
}

export interface SearchScope extends SearchedPages {
  /** Only pages that meet these conditions, in lexical spaces. */
  readonly words?: WordConditions;
  readonly limit: number;
}

/** Asks for the best pages of datasets that are in the scope of a search. */
export interface BestOf {
  readonly datasetIds: readonly DatasetId[];
  /** Maximum number of pages of all of them together. */
  readonly limit: number;
}

/** Conditions on the words of pages. */
export interface WordConditions {
  /** All of these are on the page, word for word, regardless of case and accents. */
  readonly phrases: readonly string[];
  /** None of these is on the page, in any form with the same stem. */
  readonly without: readonly string[];
  /** None of these is on the page as it is written, in the sense of `phrases`. */
  readonly withoutPhrases: readonly string[];
}

/** Whether there is any condition. */
export const isAnyCondition = (words: WordConditions): boolean => words.without.length > 0 || isOfOrder(words);

/** Whether any condition depends on the order of words on a page. */
export const isOfOrder = ({ phrases, withoutPhrases }: WordConditions): boolean =>
  phrases.length > 0 || withoutPhrases.length > 0;

/** The searches of the index. A search finds everything that was written before it began. */
export interface VectorSearches {
  /**
   * One hit per row, best first. `also` has pages that other spaces find in the same scope. They are returned with
   * their exact scores in addition to the best `scope.limit`, unless they have no vectors in the space; a later
   * call of `scorePages` would take longer.
   */
  searchDense(
    space: DenseSpace,
    query: DenseQuery,
    scope: SearchScope,
    also?: Promise<readonly PageKey[]>,
  ): Promise<readonly PageHit[]>;
  /**
   * The exact scores of given pages of the workspace, in no order. Pages that have no vectors in the space, or
   * belong to another workspace, are left out.
   */
  scorePages(
    space: DenseSpace,
    query: DenseQuery,
    pages: readonly PageKey[],
    workspaceId: WorkspaceId,
  ): Promise<readonly PageHit[]>;
  /**
   * The text is taken as words, never as query syntax. One hit per row, best first. `also` asks for the best pages
   * of some datasets among the hits, in addition to the best `scope.limit` of all; a separate search would take as
   * long again.
   */
  searchLexical(
    space: LexicalSpace,
    text: string,
    scope: SearchScope,
    also?: Promise<BestOf>,
  ): Promise<readonly PageHit[]>;
  /**
   * The pages among these that meet the conditions, in their order. A page without words in the space contains no
   * excluded word and no phrase.
   */
  meeting(
    space: LexicalSpace,
    conditions: WordConditions,
    pages: readonly PageKey[],
    workspaceId: WorkspaceId,
  ): Promise<readonly PageKey[]>;
  /**
   * The terms of pages of the workspace, separated by spaces and in the order of the page; undefined for pages
   * without terms in the space.
   */
  termsOf(
    space: LexicalSpace,
    pages: readonly PageKey[],
    workspaceId: WorkspaceId,
  ): Promise<readonly (string | undefined)[]>;
  /**
   * Whether any page has the word, in any form with the same stem: any page that the search sees if the statistics are those of
   * the scope, otherwise any page of the workspace.
   */
  hasWord(space: LexicalSpace, word: string, searched: SearchedPages): Promise<boolean>;
}
