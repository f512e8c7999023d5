import type { DatasetId, WorkspaceId } from "../ids.ts";
import type { Features, IndexOf } from "./features.ts";
import type { TableOf } from "./index-tables.ts";
import type { DenseSpace, LexicalRow, LexicalSpace, PageKey, SpaceRef, TermsRow, VectorSearches } from "./vectors.ts";

/** The spaces of a pack, as its tables need them. */
export interface SpacesOfPack {
  readonly id: string;
  readonly spaces: readonly SpaceRef[];
  readonly reads?: { readonly documents: LexicalSpace } | undefined;
}

/** The rows of one index of a dataset; if `generation` is undefined, of every generation in the pack. */
export interface RowsOfIndex {
  readonly workspaceId: WorkspaceId;
  readonly pack: string;
  readonly datasetId: DatasetId;
  readonly generation?: string | undefined;
}

/**
 * Stores pages for search by words and by meaning. Each workspace and pack has a table, with one row per page for all
 * spaces, and rows for documents. A table is built from features (`ports/features.ts`) and can be rebuilt: a table
 * that is lost, damaged or not verifiable is discarded and its datasets are to be filled again; until then searches
 * find less. Writing a page again in the same generation replaces its row. A page that exists in two generations is
 * found twice: hits name their generation, and the caller decides which one counts.
 */
export interface VectorStore extends VectorSearches {
  /** The same searches for one query, which may not see what is written after the first of them. */
  searching(): VectorSearches;
  /**
   * Writes pages with their features in all spaces of a pack. Returns the name of the table: the pages are in the
   * index once the metadata records that the features are in that table. Throws `TypeError` on rows that the spaces
   * cannot have.
   */
  put(pack: SpacesOfPack, features: Features, index: IndexOf): Promise<string>;
  /** Writes rows of documents of one workspace into the pack's space of documents, if it has one. */
  putDocuments(pack: SpacesOfPack, rows: readonly (LexicalRow | TermsRow)[]): Promise<void>;
  /** The stored vectors of a page in the order in which they were put; empty if the generation has none. */
  vectorsOf(space: DenseSpace, page: PageKey, workspaceId: WorkspaceId): Promise<readonly Float32Array[]>;
  remove(rows: RowsOfIndex): Promise<void>;
  /** Discards the tables of a pack. */
  removePack(pack: string): Promise<void>;
  /** Removes a discarded table. */
  removeTable(name: string): Promise<void>;
  /**
   * Compacts small fragments, updates indices and frees the disk space of removed rows, for the tables that were
   * written to. Only one process does this at a time.
   */
  maintain(): Promise<void>;
  /**
   * Reads all rows and indices of a workspace's table. If that fails, discards the table and returns the reason,
   * for a log. Takes some seconds per GB.
   */
  verify(table: TableOf): Promise<string | undefined>;
  /**
   * The rows that the space actually stores for the dataset, or for the whole workspace, as of one moment and in no
   * order. A page has no row in a lexical space without words, and none in a dense one without vectors. Holds some 50
   * bytes per row in memory.
   */
  rowsOf(space: SpaceRef, workspaceId: WorkspaceId, datasetId?: DatasetId): AsyncIterable<PageKey>;
  ping(): Promise<void>;
  close(): Promise<void>;
}
