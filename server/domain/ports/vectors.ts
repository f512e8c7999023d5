import type { FoundTerms, TermsRead, WordsOnPages } from "./question-words.ts";
import type { DatasetId, WorkspaceId } from "../ids.ts";
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

/** What `removeDataset` removes of a dataset. */
export interface RemovedRows {
  /** Only from this pack's spaces; from every pack's when undefined. */
  readonly pack?: string | undefined;
  /** Only rows of this generation, also of the empty one; of all generations when undefined. */
  readonly generation?: string | undefined;
}

/** Something that was found broken in a space, and what was done so that the space can be used again. */
export interface Damage {
  /** Sorts by time. */
  readonly id: string;
  readonly space: Pick<SpaceRef, "kind" | "pack" | "name">;
  /** Milliseconds since the epoch. */
  readonly foundAt: number;
  /** What was wrong, for a log; names files. */
  readonly found: string;
  /**
   * `kept`: all rows are there; an index was made anew, or an old version removed that nothing needs. `restored`: an older
   * version is in use again, so that rows written since are gone, and rows removed since are back. `cut`: rows whose files
   * are damaged are gone. `emptied`: nothing could be read, and all rows are gone.
   */
  readonly outcome: "kept" | "restored" | "cut" | "emptied";
  /** Rows that are gone. */
  readonly lost: number | "unknown";
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
 * Nearest pages by space. One table for all workspaces per pack and space; every search is bound to a workspace.
 * Writing a page again in the same generation replaces its row. A page that is there in two generations is found twice:
 * hits say of which generation they are, and the caller decides which one counts.
 *
 * Writes and removals are durable: once their promise is fulfilled, a power cut does not undo them.
 */
export interface VectorStore extends VectorSearches {
  /**
   * The same searches, that do without what was written in the last milliseconds before this call: as many as `maxAgeMs`. A store
   * far away is then not asked in each of them what its newest rows are. To be got for every question anew.
   */
  searching(maxAgeMs: number): VectorSearches;
  putDense(space: DenseSpace, rows: readonly DenseRow[]): Promise<void>;
  putLexical(space: LexicalSpace, rows: readonly LexicalRow[]): Promise<void>;
  /** The vectors of a page in the order they were put, as they are kept; empty if the generation has none of it. */
  vectorsOf(
    space: DenseSpace,
    datasetId: DatasetId,
    page: number,
    generation: string,
  ): Promise<readonly Float32Array[]>;
  /** Removes the dataset's rows from every space. */
  removeDataset(datasetId: DatasetId, only?: RemovedRows): Promise<void>;
  /** Removes all that there is of a pack. */
  removePack(pack: string): Promise<void>;
  /** The packs of which there are rows, or were. */
  packs(): Promise<readonly string[]>;
  /** Folds small fragments, brings indices up to date, frees the disk that removed rows held. One process does this. */
  maintain(): Promise<void>;
  /**
   * Looks whether everything is there that the rows stand on, and mends what is not, so that the spaces can be used again.
   * `files`: by the names, sizes and ends of files, some milliseconds; the same is done at the first use, and when a search
   * or a write fails for what could be damage, which then goes on with what is left instead of failing. `rows`: every row
   * is read as well, some seconds per GB. Gives what this call has found; what others have found is in `damage`. In an
   * object store only names and sizes are looked at, and not at the first use.
   */
  verify(depth?: "files" | "rows"): Promise<readonly Damage[]>;
  /**
   * Damage that has been found, by whatever process, and has not been settled: as long as there is any whose outcome is
   * not `kept`, answers from its pack may be incomplete. Remembered over restarts. What another process has found in the last
   * milliseconds may be missing: as many as `maxAgeMs`, 0 when undefined.
   */
  damage(maxAgeMs?: number): Promise<readonly Damage[]>;
  /**
   * Forgets the damage. To be called when what is missing has been made again, or is known to be missing: compare
   * `rowsOf` with the pages that should be there.
   */
  settle(damage: readonly Pick<Damage, "id">[]): Promise<void>;
  /**
   * The rows that are really in the space, as of one moment and in no order; the dataset's, or all. A page has no row in
   * spaces in which it has nothing: none in a lexical one without words, none in a dense one without vectors. Holds some
   * 50 bytes per row in memory.
   */
  rowsOf(space: SpaceRef, datasetId?: DatasetId): AsyncIterable<PageKey>;
  /** The rows of the datasets as they are kept, some hundred at a time and in no order; of these pages alone, where any are given. */
  readRows(
    space: SpaceRef,
    datasetIds: readonly DatasetId[],
    pages?: ReadonlySet<number>,
  ): AsyncIterable<readonly StoredRow[]>;
  /**
   * Puts rows that `readRows` has given, of this store or of another one. Throws `TypeError` on rows that the space cannot
   * have.
   */
  putRows(space: SpaceRef, rows: readonly StoredRow[]): Promise<void>;
  ping(): Promise<void>;
  close(): Promise<void>;
}
