import type { QueryInSpace } from "../domain/ports/worker.ts";
import type { PackInUse } from "../domain/ports/pack.ts";

/** A picture in memory: rows from the top, no padding, one byte per channel. */
export interface Raster {
  readonly width: number;
  readonly height: number;
  /** 1: grey, 3: RGB. */
  readonly channels: 1 | 3;
  readonly data: Uint8Array;
}

/** The picture of a page that a pack wants to see. */
export interface PictureWish {
  /** Pixels of the longer side. */
  readonly longSide: number;
  readonly channels: 1 | 3;
}

/** What a page became in one space of a pack. */
export type PageInSpace =
  | { readonly space: string; readonly kind: "dense"; readonly vectors: readonly Float32Array[] }
  | { readonly space: string; readonly kind: "lexical"; readonly words: string };

/** A pack whose graphs are loaded: lives in one thread, and serves one call at a time. */
export interface LoadedPack extends PackInUse {
  /** Undefined: the pack reads only words. */
  readonly picture: PictureWish | undefined;
  embedPage(page: { words: string; picture: Raster | undefined }): Promise<readonly PageInSpace[]>;
  /** `image`: an encoded picture (JPEG, PNG, WebP …). Throws `invalid` if it cannot be decoded. */
  embedQuery(query: { text?: string; image?: Uint8Array }): Promise<readonly QueryInSpace[]>;
  close(): Promise<void>;
}
