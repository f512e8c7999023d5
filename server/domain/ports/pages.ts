import type { Dataset } from "../datasets/dataset.ts";
import type { DatasetId, WorkspaceId } from "../ids.ts";
import type { ItemRow } from "../items/item.ts";
import type { PageFailure } from "../jobs/job.ts";
import type { NewPart } from "./features.ts";
import type { Lease } from "./jobs.ts";
import type { ListResult, SortKey } from "../list.ts";
import type { PageKey } from "./vectors.ts";

/** The result of reading a page. */
export interface PageRecord {
  readonly page: number;
  /** Points (1/72 inch), as shown: after rotation. 0 if the page failed. */
  readonly width: number;
  readonly height: number;
  /** Plain text in reading order as the document stores it; empty for a scan and for a failed page. */
  readonly words: string;
  /** Why the page cannot be read; null if it can. */
  readonly failure: string | null;
}

/** A page as stored, which another server can store unchanged. */
export interface StoredPage extends PageRecord {
  /** Why a readable page cannot be embedded or rendered. */
  readonly embedFailure: string | null;
  readonly renderFailure: string | null;
  readonly createdAt: number;
  readonly embeddedAt: number | null;
  /** For an embedded page, the spaces in which it has no features. */
  readonly absentFrom: readonly string[];
}

export const itemSorts = ["createdAt", "col", "row"] as const;
export type ItemSort = (typeof itemSorts)[number];

/** Both ends are included. */
export interface PageRange {
  readonly from: number;
  readonly to: number;
}

export interface ItemQuery {
  readonly datasetId: DatasetId;
  /** Undefined for all rows. */
  readonly row: ItemRow | undefined;
  /** A page matches if one of the ranges contains it; undefined for all pages. */
  readonly ranges: readonly PageRange[] | undefined;
  /** Ties are broken by page, then by row (as the item id sorts), ascending. */
  readonly sort: readonly SortKey<ItemSort>[];
  readonly offset: number;
  readonly limit: number;
}

export interface ItemRecord {
  readonly page: number;
  readonly row: ItemRow;
  readonly createdAt: number;
}

/** A page in the index, with its document. */
export interface FoundPageRecord extends PageKey {
  readonly embeddedAt: number;
  readonly dataset: Pick<Dataset, "id" | "versionOf" | "fileName" | "itemCount" | "metadata">;
}

/** Spaces in which pages have no features, by page; a page that is missing here has a row in every space. */
export type Absences = ReadonlyMap<number, readonly string[]>;

export interface EmbeddedPage {
  readonly page: number;
  /** Spaces in which it has no features, and so no row. */
  readonly absentFrom: readonly string[];
}

/**
 * A page without failure has a pdf and a jpg item; once it has been embedded, and as long as its dataset has an
 * index that serves it, also an embedding_image item.
 */
export interface PageStore {
  /** Page numbers that have been saved, failed ones included, ascending. */
  finished(datasetId: DatasetId): Promise<readonly number[]>;
  /** Page numbers that were read without failure, ascending. */
  readable(datasetId: DatasetId): Promise<readonly number[]>;
  /** Pages that have been embedded, ascending. */
  embedded(datasetId: DatasetId): Promise<readonly EmbeddedPage[]>;
  /** Page numbers that were read without failure and have not been embedded, ascending. */
  unembedded(datasetId: DatasetId): Promise<readonly number[]>;
  /**
   * Saves pages, replacing those saved before. Words are stored compressed. Returns false and saves nothing if the
   * lease is lost.
   */
  save(lease: Lease, datasetId: DatasetId, pages: readonly PageRecord[], now: number): Promise<boolean>;
  /** `part` has their features, and is listed in the same transaction. */
  markEmbedded(
    lease: Lease,
    datasetId: DatasetId,
    pages: readonly number[],
    now: number,
    { absentFrom, part }?: { readonly absentFrom?: Absences | undefined; readonly part?: NewPart | undefined },
  ): Promise<boolean>;
  /**
   * Records why readable pages cannot be embedded or rendered; they are listed in `failures`, and their items stay. A
   * page whose failure has the stage "embed" is no longer in `unembedded`.
   */
  noteFailures(
    lease: Lease,
    datasetId: DatasetId,
    stage: "embed" | "render",
    failures: readonly PageFailure[],
    now: number,
  ): Promise<boolean>;
  /**
   * Removes the record that pages are embedded or have failed to be, for all pages: their vectors no longer count.
   */
  clearEmbedded(lease: Lease, datasetId: DatasetId): Promise<boolean>;
  /** Clears the failures of every stage, so that failed pages are processed again. */
  clearFailures(lease: Lease, datasetId: DatasetId): Promise<boolean>;
  /** Pages as stored, words included, by number, after the given one. */
  stored(datasetId: DatasetId, after: number, limit: number): Promise<readonly StoredPage[]>;
  /** The stored words of the given pages. */
  words(datasetId: DatasetId, pages: readonly number[]): Promise<ReadonlyMap<number, string>>;
  failures(datasetIds: readonly DatasetId[]): Promise<ReadonlyMap<DatasetId, readonly PageFailure[]>>;
  listItems(query: ItemQuery): Promise<ListResult<ItemRecord>>;
  /** Undefined if the page does not exist, has failed, or lacks the row. */
  getItem(datasetId: DatasetId, page: number, row: ItemRow): Promise<ItemRecord | undefined>;
  /**
   * The pages among these that a search may return, with their documents, in no order: pages that are embedded, whose
   * index exists and whose dataset `DatasetStore.get` finds.
   */
  found(workspaceId: WorkspaceId, pages: readonly PageKey[], now: number): Promise<readonly FoundPageRecord[]>;
  /** The pages among these that have the row. */
  getItems(
    refs: readonly { readonly datasetId: DatasetId; readonly page: number }[],
    row: ItemRow,
  ): Promise<readonly (ItemRecord & { readonly datasetId: DatasetId })[]>;
}

/** The register of the rendition cache: its blobs, their sizes, and when each was last used. */
export interface RenditionStore {
  totalBytes(): Promise<number>;
  /**
   * Adds an entry before its blob is written, so that a crash leaves no blob without an entry. Returns false and
   * adds nothing if the dataset is gone.
   */
  put(key: string, datasetId: DatasetId, size: number, now: number): Promise<boolean>;
  touch(uses: ReadonlyMap<string, number>): Promise<void>;
  /** The least recently used entries, oldest first. */
  oldest(limit: number): Promise<readonly RenditionEntry[]>;
  /**
   * Removes the entries that have not been used since they were read, and returns them. Their blobs are put on the
   * garbage list and become due at `notBefore`; if an entry is renewed, its blob is taken off again. Neither a crash
   * nor several processes that evict and create renditions can thus leave a blob without an entry.
   */
  evict(entries: readonly RenditionEntry[], notBefore: number): Promise<readonly RenditionEntry[]>;
  remove(keys: readonly string[]): Promise<void>;
}

export interface RenditionEntry {
  readonly key: string;
  /** Bytes. */
  readonly size: number;
  readonly lastUsedAt: number;
}
