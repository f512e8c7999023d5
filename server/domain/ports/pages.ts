import type { Dataset } from "../datasets/dataset.ts";
import type { DatasetId, WorkspaceId } from "../ids.ts";
import type { ItemRow } from "../items/item.ts";
import type { PageFailure } from "../jobs/job.ts";
import type { Lease } from "./jobs.ts";
import type { ListResult, SortKey } from "./list.ts";
import type { NewPart } from "./features.ts";
import type { PageKey } from "./vectors.ts";

/** What reading a page left behind. */
export interface PageRecord {
  readonly page: number;
  /** Points (1/72 inch), as shown: after rotation. 0 when the page failed. */
  readonly width: number;
  readonly height: number;
  /** Plain text in reading order as the document stores it; empty for a scan and for a failed page. */
  readonly words: string;
  /** Why the page cannot be read; null when it can. */
  readonly failure: string | null;
}

/** A page as it is kept, which another server can keep as it is. */
export interface StoredPage extends PageRecord {
  /** Why a page that can be read cannot be embedded or rendered. */
  readonly embedFailure: string | null;
  readonly renderFailure: string | null;
  readonly createdAt: number;
  readonly embeddedAt: number | null;
  /** Of an embedded page: spaces in which it has nothing. */
  readonly absentFrom: readonly string[];
}

export const itemSorts = ["createdAt", "col", "row"] as const;
export type ItemSort = (typeof itemSorts)[number];

/** Both ends included. */
export interface PageRange {
  readonly from: number;
  readonly to: number;
}

export interface ItemQuery {
  readonly datasetId: DatasetId;
  /** All rows when undefined. */
  readonly row: ItemRow | undefined;
  /** A page matches if one of the ranges has it; all pages when undefined. */
  readonly ranges: readonly PageRange[] | undefined;
  /** Page, then row (as the item id sorts) break ties, ascending. */
  readonly sort: readonly SortKey<ItemSort>[];
  readonly offset: number;
  readonly limit: number;
}

export interface ItemRecord {
  readonly page: number;
  readonly row: ItemRow;
  readonly createdAt: number;
}

/** A page in the index, and what its document is. */
export interface FoundPageRecord extends PageKey {
  readonly embeddedAt: number;
  readonly dataset: Pick<Dataset, "id" | "versionOf" | "fileName" | "itemCount" | "metadata">;
}

/** Spaces in which pages have nothing, by page; a page that is not named has a row in every space. */
export type Absences = ReadonlyMap<number, readonly string[]>;

export interface EmbeddedPage {
  readonly page: number;
  /** Spaces in which it has nothing, and so no row. */
  readonly absentFrom: readonly string[];
}

/**
 * A page without failure has a pdf and a jpg item; once it has been embedded, and as long as its dataset has an index that
 * serves it, also an embedding_image item.
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
  /** Saves pages; a page saved before is replaced. Words are kept compressed. False: the lease is lost, nothing saved. */
  save(lease: Lease, datasetId: DatasetId, pages: readonly PageRecord[], now: number): Promise<boolean>;
  /** `part`: where their features are, which is listed in the same transaction. */
  markEmbedded(
    lease: Lease,
    datasetId: DatasetId,
    pages: readonly number[],
    now: number,
    { absentFrom, part }?: { readonly absentFrom?: Absences | undefined; readonly part?: NewPart | undefined },
  ): Promise<boolean>;
  /**
   * Pages that can be read but not embedded or rendered, with the reason: listed in `failures`; their items stay. Those
   * of the stage "embed" are no longer in `unembedded`.
   */
  noteFailures(
    lease: Lease,
    datasetId: DatasetId,
    stage: "embed" | "render",
    failures: readonly PageFailure[],
    now: number,
  ): Promise<boolean>;
  /** Takes the marks of embedding, done or failed, off all pages: their vectors do not count any more. */
  clearEmbedded(lease: Lease, datasetId: DatasetId): Promise<boolean>;
  /** Forgets what failed, of every stage: failed pages are to be worked on again. */
  clearFailures(lease: Lease, datasetId: DatasetId): Promise<boolean>;
  /** Pages as they are kept, words included, by number: those after the given one. */
  stored(datasetId: DatasetId, after: number, limit: number): Promise<readonly StoredPage[]>;
  /** The stored words of the given pages. */
  words(datasetId: DatasetId, pages: readonly number[]): Promise<ReadonlyMap<number, string>>;
  failures(datasetIds: readonly DatasetId[]): Promise<ReadonlyMap<DatasetId, readonly PageFailure[]>>;
  listItems(query: ItemQuery): Promise<ListResult<ItemRecord>>;
  /** Undefined if the page does not exist, has failed, or lacks the row. */
  getItem(datasetId: DatasetId, page: number, row: ItemRow): Promise<ItemRecord | undefined>;
  /**
   * Those of the pages that a search may give out, with their documents: embedded ones, of an index that there still is, of
   * datasets that `DatasetStore.get` finds. In no order.
   */
  found(workspaceId: WorkspaceId, pages: readonly PageKey[], now: number): Promise<readonly FoundPageRecord[]>;
  /** Those of the pages that have the row. */
  getItems(
    refs: readonly { readonly datasetId: DatasetId; readonly page: number }[],
    row: ItemRow,
  ): Promise<readonly (ItemRecord & { readonly datasetId: DatasetId })[]>;
}
