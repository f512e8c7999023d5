import type { DatasetId, WorkspaceId } from "../ids.ts";
import type { Features, IndexOf } from "./features.ts";
import type { TableOf } from "./index-tables.ts";
import type { FoundTerms, TermsRead, WordsOnPages } from "./question-words.ts";
import { rememberTexts } from "../row-texts.ts";

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
      /** Hits carry the page's first vector; none do when undefined. */
      readonly givesVectors?: boolean;
    }
  | {
      readonly kind: "lexical";
      readonly pack: string;
      readonly name: string;
      /** What its rows are of; pages when undefined. */
      readonly unit?: "page" | "document";
    };

/**
 * What a page's score is. `best`: the cosine of the query with the nearest of the page's vectors. `max-sim`: the mean,
 * over the query's vectors, of the cosine with the nearest of the page's (late interaction: Khattab and Zaharia,
 * "ColBERT", 2020, divided by the number of the query's vectors).
 */
export type Scoring = "best" | "max-sim";

/**
 * By which vectors the index finds the pages that are then compared by all of theirs. `pooled`: by the few that stand for
 * the others (`DenseRow.pooled`), which makes the index many times smaller. `first`, where the scoring is `best`: by the
 * page's first vector, towards which the others lean; of these only directions are kept, as codes that give cosines with an
 * error of some 0.001. `none`: not at all; the space is only asked about pages that other spaces have found.
 */
export type FirstPass = "all" | "pooled" | "first" | "none";

export type DenseSpace = Extract<SpaceRef, { kind: "dense" }>;
export type LexicalSpace = Extract<SpaceRef, { kind: "lexical" }>;

/**
 * Names a row: a page as one generation of its dataset's index has it. A generation is a token of up to 32 characters of
 * `0-9a-z`, chosen by what fills the index; the empty one has the rows that were there before generations. Rows of
 * different generations stand beside each other and never replace or remove one another, so that a late writer or remover
 * of a retired generation cannot harm the current one. The store does not know which generation is current.
 */
export interface PageKey {
  readonly datasetId: DatasetId;
  readonly page: number;
  readonly generation: string;
}

/** The same for the same row, and only for that. */
export const rowKey: (page: PageKey) => string = rememberTexts(
  ({ datasetId, page, generation }: PageKey) => `${datasetId}/${page}@${generation}`,
);

interface PageRow extends PageKey {
  readonly workspaceId: WorkspaceId;
}

/**
 * A page in a dense space: one vector or several (the whole page first, then its parts). They are kept as 16-bit floats,
 * so that a vector is given back with an error of up to 0.05 % in each of its values; but for those after the first where
 * the first pass is `first`.
 */
export interface DenseRow extends PageRow {
  readonly vectors: readonly Float32Array[];
  /**
   * Where the space's first pass is `pooled`: those that stand for the page; its first vector when undefined or empty.
   */
  readonly pooled?: readonly Float32Array[];
}

/** One vector, or several where the space's scoring is `max-sim`. */
export type DenseQuery = Float32Array | readonly Float32Array[];

export interface LexicalRow extends PageRow {
  readonly words: string;
}

/** A row of a lexical space as it is kept: its words as terms, in the order of the page. */
export interface TermsRow extends PageRow {
  readonly terms: string;
}

/**
 * The rows of a document in a lexical space whose unit is the document, by what stands for the page in their keys: its name,
 * its first pages, and all of its pages.
 */
export const documentRows = { name: 0, opening: 1, whole: 2 } as const;

/** A row of a space whose first pass is `first` as it is kept: its first vector, and the codes of all. */
export interface CodedRow extends PageRow {
  readonly first: Float32Array;
  readonly codes: Uint8Array;
}

/** A row as a store keeps it, which another one can keep as it is. */
export type StoredRow = DenseRow | CodedRow | TermsRow;

export interface PageHit extends PageKey {
  /** Dense: cosine similarity by the space's scoring, -1 to 1. Lexical: BM25 as in an index of 1,000 pages, from 0 up. */
  readonly score: number;
  /** In a dense space that gives vectors; where the first pass is `first`, with an error of a hundredth of its largest value. */
  readonly vector?: Float32Array;
}

/** Tells which datasets pass a filter: gives a set that has those of the ids that do, and none that does not. */
export type Pass = (ids: ReadonlySet<DatasetId>) => Promise<ReadonlySet<DatasetId>>;

export interface SearchScope {
  readonly workspaceId: WorkspaceId;
  /**
   * Only these datasets (all vectors are compared, up to some thousand pages, but where the first pass is `first`); the whole
   * workspace when undefined.
   */
  readonly datasetIds: readonly DatasetId[] | undefined;
  /** Only datasets that pass, beside what `datasetIds` says; where these are too many to be named. */
  readonly pass?: Pass | undefined;
  /** Never these: what the index holds of them is not complete yet, or no longer theirs. */
  readonly without?: readonly DatasetId[];
  /** In lexical spaces, only pages that meet them. */
  readonly words?: WordConditions;
  readonly limit: number;
}

/** The best pages of datasets that are in the scope of a search. */
export interface BestOf {
  readonly datasetIds: readonly DatasetId[];
  /** So many of all of them together. */
  readonly limit: number;
}

/** What the words of pages have to be like. */
export interface WordConditions {
  /** All of these are in the page, word after word as they are written, but for capitals and accents. */
  readonly phrases: readonly string[];
  /** None of these is in the page, in any form that its language's stems join. */
  readonly without: readonly string[];
  /** None of these is in the page as it is written, in the sense of `phrases`. */
  readonly withoutPhrases: readonly string[];
}

/** Do they ask anything of a page? */
export const isAnyCondition = (words: WordConditions): boolean => words.without.length > 0 || isOfOrder(words);

/** Do they ask in which order words stand on a page? */
export const isOfOrder = ({ phrases, withoutPhrases }: WordConditions): boolean =>
  phrases.length > 0 || withoutPhrases.length > 0;

/** A pack, as its tables know it. */
export interface SpacesOfPack {
  readonly id: string;
  readonly spaces: readonly SpaceRef[];
  readonly reads?: { readonly documents: LexicalSpace } | undefined;
}

/** The rows of one index of a dataset; of every generation in the pack when that is undefined. */
export interface RowsOfIndex {
  readonly workspaceId: WorkspaceId;
  readonly pack: string;
  readonly datasetId: DatasetId;
  readonly generation?: string | undefined;
}

/** What questions read. A search finds all that was written before it began. */
export interface VectorSearches {
  /**
   * One hit per row, best first. `also`: pages that other spaces find in the same scope. They come with their exact scores
   * beside the best `scope.limit`, unless they have no vectors in the space; asking for them with `scorePages` afterwards
   * would take longer.
   */
  searchDense(
    space: DenseSpace,
    query: DenseQuery,
    scope: SearchScope,
    also?: Promise<readonly PageKey[]>,
  ): Promise<readonly PageHit[]>;
  /**
   * The exact scores of given pages of the workspace, in no order. Pages that have no vectors in the space, or are
   * another workspace's, are left out.
   */
  scorePages(
    space: DenseSpace,
    query: DenseQuery,
    pages: readonly PageKey[],
    workspaceId: WorkspaceId,
  ): Promise<readonly PageHit[]>;
  /**
   * The text is taken as words, never as query syntax. One hit per row, best first. `also`: the best pages of some datasets are
   * to be among the hits, beside the best `scope.limit` of all; a search of their own would take as long again.
   */
  searchLexical(
    space: LexicalSpace,
    text: string,
    scope: SearchScope,
    also?: Promise<BestOf>,
  ): Promise<readonly PageHit[]>;
  /**
   * Those of the pages that meet the conditions, in their order. A page that has no words in the space has none to leave
   * out, and no phrase.
   */
  meeting(
    space: LexicalSpace,
    conditions: WordConditions,
    pages: readonly PageKey[],
    workspaceId: WorkspaceId,
  ): Promise<readonly PageKey[]>;
  /** The terms of a question and of pages of the workspace; pages that have none in the space are left out. */
  readTerms(
    space: LexicalSpace,
    question: string,
    pages: readonly PageKey[],
    workspaceId: WorkspaceId,
  ): Promise<TermsRead>;
  /** Where pages of the workspace have the terms of a question, in the order in which the pages are given. */
  findTerms(
    space: LexicalSpace,
    question: string,
    pages: readonly PageKey[],
    workspaceId: WorkspaceId,
  ): Promise<FoundTerms>;
  /**
   * The words of a question on pages of the workspace, in the order in which the pages are given, by all that `searchLexical` finds
   * pages by.
   */
  countWords(
    space: LexicalSpace,
    question: string,
    pages: readonly PageKey[],
    workspaceId: WorkspaceId,
  ): Promise<WordsOnPages>;
}

/**
 * Pages by words and by meaning. There is a table for each workspace and pack, which has one row for a page with what it is in
 * every space, and rows for documents. A table is made of features (`ports/features.ts`) and can be made of them again: one that
 * is lost, damaged or in doubt is given up, its datasets are to be filled again, and until then searches find less.
 *
 * Writing a page again in the same generation replaces its row. A page that is there in two generations is found twice:
 * hits say of which generation they are, and the caller decides which one counts.
 */
export interface VectorStore extends VectorSearches {
  /**
   * The same searches, that do without what was written in the last milliseconds before this call: as many as `maxAgeMs`. A store
   * far away is then not asked in each of them what its newest rows are. To be got for every question anew.
   */
  searching(maxAgeMs: number): VectorSearches;
  /**
   * Writes pages with all that they are in the spaces of a pack. Gives the name of the table that has them: they are in the
   * index once the metadata says that the features are in that table. Throws `TypeError` on rows that the spaces cannot have.
   */
  put(pack: SpacesOfPack, features: Features, index: IndexOf): Promise<string>;
  /** Writes rows of documents of one workspace into the pack's space of documents; nothing where it has none. */
  putDocuments(pack: SpacesOfPack, rows: readonly (LexicalRow | TermsRow)[]): Promise<void>;
  /** The vectors of a page in the order they were put, as they are kept; empty if the generation has none of it. */
  vectorsOf(space: DenseSpace, page: PageKey, workspaceId: WorkspaceId): Promise<readonly Float32Array[]>;
  remove(rows: RowsOfIndex): Promise<void>;
  /** Gives up the tables of a pack. */
  removePack(pack: string): Promise<void>;
  /** Removes a table that has been given up. */
  removeTable(name: string): Promise<void>;
  /**
   * Folds small fragments, brings indices up to date, frees the disk that removed rows held, of the tables that were written to.
   * One process does this.
   */
  maintain(): Promise<void>;
  /**
   * Reads all rows and indices of a workspace's table, and gives it up if that fails: then it gives why, for a log. Some seconds
   * per GB.
   */
  verify(table: TableOf): Promise<string | undefined>;
  /**
   * The rows that are really in the space, as of one moment and in no order; the dataset's, or all of the workspace. A page has
   * nothing in a lexical space without words, and nothing in a dense one without vectors. Holds some 50 bytes per row in memory.
   */
  rowsOf(space: SpaceRef, workspaceId: WorkspaceId, datasetId?: DatasetId): AsyncIterable<PageKey>;
  /** Rows of pages as an index of a version before tables belonged to workspaces has them. */
  earlierRows(space: SpaceRef, index: IndexOf, pages: ReadonlySet<number>): Promise<readonly StoredRow[]>;
  /** Removes the tables of such an index, if there are any. */
  removeEarlier(): Promise<void>;
  ping(): Promise<void>;
  close(): Promise<void>;
}
