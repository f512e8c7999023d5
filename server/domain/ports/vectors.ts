import type { DatasetId, WorkspaceId } from "../ids.ts";

/** One index of a model pack: dense vectors, or words for full-text ranking. Rows of different packs never mix. */
export type SpaceRef =
  | { readonly kind: "dense"; readonly pack: string; readonly name: string; readonly dimensions: number }
  | { readonly kind: "lexical"; readonly pack: string; readonly name: string };

export type DenseSpace = Extract<SpaceRef, { kind: "dense" }>;
export type LexicalSpace = Extract<SpaceRef, { kind: "lexical" }>;

interface PageRow {
  readonly workspaceId: WorkspaceId;
  readonly datasetId: DatasetId;
  readonly page: number;
}

/** A page in a dense space: one vector or several (the whole page first, then its parts). */
export interface DenseRow extends PageRow {
  readonly vectors: readonly Float32Array[];
}

export interface LexicalRow extends PageRow {
  readonly words: string;
}

export interface PageHit {
  readonly datasetId: DatasetId;
  readonly page: number;
  /** Dense: cosine similarity of the page's best vector, -1 to 1. Lexical: BM25 as in an index of 1,000 pages, from 0 up. */
  readonly score: number;
}

export interface SearchScope {
  readonly workspaceId: WorkspaceId;
  /** Only these datasets (exact search); the whole workspace when undefined. */
  readonly datasetIds: readonly DatasetId[] | undefined;
  readonly limit: number;
}

/**
 * Nearest pages by space. One table for all workspaces per pack and space; every search is bound to a workspace.
 * Writing a page again replaces its rows.
 */
export interface VectorStore {
  putDense(space: DenseSpace, rows: readonly DenseRow[]): Promise<void>;
  putLexical(space: LexicalSpace, rows: readonly LexicalRow[]): Promise<void>;
  /** One hit per page, best first. */
  searchDense(space: DenseSpace, vector: Float32Array, scope: SearchScope): Promise<readonly PageHit[]>;
  /** The text is taken as words, never as query syntax. One hit per page, best first. */
  searchLexical(space: LexicalSpace, text: string, scope: SearchScope): Promise<readonly PageHit[]>;
  /** The vectors of a page in the order they were put; empty if it has none. */
  vectorsOf(space: DenseSpace, datasetId: DatasetId, page: number): Promise<readonly Float32Array[]>;
  /** Removes the dataset's rows from every space of every pack. */
  removeDataset(datasetId: DatasetId): Promise<void>;
  /** Folds small fragments, brings indices up to date, frees the disk that removed rows held. One process does this. */
  maintain(): Promise<void>;
  ping(): Promise<void>;
  close(): Promise<void>;
}
