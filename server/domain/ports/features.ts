import type { DatasetId, WorkspaceId } from "../ids.ts";
import type { DenseRow, SpaceRef, StoredRow } from "./vectors.ts";

/** What a page became in one space of a pack. */
export type PageInSpace =
  | {
      readonly space: string;
      readonly kind: "dense";
      readonly vectors: readonly Float32Array[];
      /** Few that stand for the many of a space whose scoring is `max-sim`. */
      readonly pooled?: DenseRow["pooled"];
    }
  | { readonly space: string; readonly kind: "lexical"; readonly words: string };

/** A page as a pack has computed it. */
export interface ComputedPage {
  readonly page: number;
  readonly spaces: readonly PageInSpace[];
}

/** An index of a dataset: the generation is chosen when it begins, and never used again. */
export interface FeaturesOf {
  readonly datasetId: DatasetId;
  readonly generation: string;
}

/** An object of the blob store with the features of some pages. It is never changed. */
export interface FeaturePart {
  readonly key: string;
  /** The pages that it has features of, ascending. */
  readonly pages: readonly number[];
  /** Its size. */
  readonly bytes: number;
  /** SHA-256 of its bytes, hexadecimal. */
  readonly sha256: string;
  /** The table of the index that its rows are in; empty: they are in none. */
  readonly table: string;
}

/** A part that is stored and not listed yet. */
export interface NewPart extends FeaturePart {
  readonly generation: string;
}

/** The objects that hold the features of an index, in the order in which they were listed. Of a page that is in several, the last counts. */
export interface FeatureStore {
  parts(index: FeaturesOf): Promise<readonly FeaturePart[]>;
  /** The rows of parts are in the table now; if it has been discarded meanwhile, they are in none. */
  entered(index: FeaturesOf, keys: readonly string[], table: string): Promise<void>;
  /** Takes parts off the list; their objects are garbage from then on. */
  remove(index: FeaturesOf, keys: readonly string[], now: number): Promise<void>;
}

/** Rows by the names of their spaces; a page has no row in a space in which it has nothing. */
export type RowsBySpace = ReadonlyMap<string, readonly StoredRow[]>;

/** Pages of an index as they are kept: what is in the parts and in the rows of the index is the same. */
export interface Features {
  /** All of them, also those that have nothing in any space. */
  readonly pages: readonly number[];
  readonly rows: RowsBySpace;
}

/** What they say of these pages. */
export const featuresOf = ({ pages, rows }: Features, wanted: ReadonlySet<number>): Features => ({
  pages: pages.filter((page) => wanted.has(page)),
  rows: new Map(Array.from(rows, ([space, some]) => [space, some.filter(({ page }) => wanted.has(page))])),
});

/** The index that rows belong to. */
export interface IndexOf extends FeaturesOf {
  readonly workspaceId: WorkspaceId;
}

/** Makes, writes and reads features in the format of docs/features-format.md. */
export interface FeatureCodec {
  /** What pages become: words as terms, vectors as codes where the space keeps those. Throws `TypeError` on what the spaces cannot have. */
  make(spaces: readonly SpaceRef[], pages: readonly ComputedPage[], index: IndexOf): Features;
  encode(spaces: readonly SpaceRef[], features: Features): Promise<Uint8Array>;
  /** Throws `TypeError` if the bytes are not features of these spaces. */
  decode(spaces: readonly SpaceRef[], bytes: Uint8Array, index: IndexOf): Promise<Features>;
}

/** Prefix of the blob keys of all features of an index, or of all indices of a dataset. */
export function featurePrefix({
  datasetId,
  generation,
}: {
  datasetId: DatasetId;
  generation?: string | undefined;
}): string {
  if (generation === undefined) return `features/${datasetId}/`;
  // Indices that were made before there were generations have the empty one.
  return `features/${datasetId}/${generation === "" ? "-" : generation}/`;
}
