import type { DatasetId, WorkspaceId } from "../ids.ts";
import type { Features, IndexOf } from "./features.ts";
import type { TableOf } from "./index-tables.ts";
import type {
  DenseSpace,
  LexicalRow,
  LexicalSpace,
  PageKey,
  SpaceRef,
  StoredRow,
  TermsRow,
  VectorSearches,
} from "./vectors.ts";

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

/**
 * Pages by words and by meaning. There is a table for each workspace and pack, which has one row for a page with what it is in
 * every space, and rows for documents. A table is made of features (`ports/features.ts`) and can be made of them again: one that
 * is lost, damaged or in doubt is given up, its datasets are to be filled again, and until then searches find less.
 *
 * Writing a page again in the same generation replaces its row. A page that is there in two generations is found twice:
 * hits say of which generation they are, and the caller decides which one counts.
 */
export interface VectorStore extends VectorSearches {
  /** The same searches for one question, which may not see what is written after the first of them. */
  searching(): VectorSearches;
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
