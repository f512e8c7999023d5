import type { DatasetId, WorkspaceId } from "../ids.ts";
import type { DenseRow, SpaceRef, StoredRow } from "./vectors.ts";

/** The features of a page in one space of a pack. */
export type PageInSpace =
  | {
      readonly space: string;
      readonly kind: "dense";
      readonly vectors: readonly Float32Array[];
      /** A few vectors that represent all others in a space whose scoring is `max-sim`. */
      readonly pooled?: DenseRow["pooled"];
    }
  | { readonly space: string; readonly kind: "lexical"; readonly words: string };

/** A page as a pack has computed it. */
export interface ComputedPage {
  readonly page: number;
  readonly spaces: readonly PageInSpace[];
}

/** Identifies an index of a dataset: the generation is chosen when it begins, and never used again. */
export interface FeaturesOf {
  readonly datasetId: DatasetId;
  readonly generation: string;
}

/** An object of the blob store with the features of some pages. It is never changed. */
export interface FeaturePart {
  readonly key: string;
  /** The pages that it has features of, ascending. */
  readonly pages: readonly number[];
  /** Size of the object. */
  readonly bytes: number;
  /** SHA-256 of its bytes, hexadecimal. */
  readonly sha256: string;
  /** The table of the index that has its rows; empty if no table has them. */
  readonly table: string;
}

/** A part that is stored and not listed yet. */
export interface NewPart extends FeaturePart {
  readonly generation: string;
}

/**
 * Lists the objects that hold the features of an index, in the order in which they were added. If a page is in
 * several objects, the last one counts.
 */
export interface FeatureStore {
  parts(index: FeaturesOf): Promise<readonly FeaturePart[]>;
  /**
   * Records that the rows of parts are in the table. If the table has been discarded meanwhile, it records that they
   * are in no table.
   */
  entered(index: FeaturesOf, keys: readonly string[], table: string): Promise<void>;
  /** Takes parts off the list; their objects are garbage from then on. */
  remove(index: FeaturesOf, keys: readonly string[], now: number): Promise<void>;
}

/** Rows by the names of their spaces; a page has no row in a space in which it has no features. */
export type RowsBySpace = ReadonlyMap<string, readonly StoredRow[]>;

/** Pages of an index as stored, both in the parts and in the rows of the index. */
export interface Features {
  /** All of the pages, including those without features in any space. */
  readonly pages: readonly number[];
  readonly rows: RowsBySpace;
}

/** Returns only the features of the given pages. */
export const featuresOf = ({ pages, rows }: Features, wanted: ReadonlySet<number>): Features => ({
  pages: pages.filter((page) => wanted.has(page)),
  rows: new Map(Array.from(rows, ([space, some]) => [space, some.filter(({ page }) => wanted.has(page))])),
});

/** The index that rows belong to. */
export interface IndexOf extends FeaturesOf {
  readonly workspaceId: WorkspaceId;
}

/** Creates, encodes and decodes features in the format of docs/reference/features-format.md. */
export interface FeatureCodec {
  /**
   * Turns computed pages into features: words into terms, vectors into codes if the space stores codes. Throws
   * `TypeError` on features that the spaces cannot have.
   */
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
  // The generation is empty in indices that were made before there were generations.
  return `features/${datasetId}/${generation === "" ? "-" : generation}/`;
}
