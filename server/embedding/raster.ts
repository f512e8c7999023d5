/** A picture in memory: rows from the top, no padding, one byte per channel. */
export interface Raster {
  readonly width: number;
  readonly height: number;
  /** 1: grey, 3: RGB. */
  readonly channels: 1 | 3;
  readonly data: Uint8Array;
}

/** The picture of a page that a pack needs. */
export interface PictureRequest {
  /** Pixels of the longer side. */
  readonly longSide: number;
  readonly channels: 1 | 3;
}

/** A raster of one byte per pixel. */
export type GreyRaster = Raster & { readonly channels: 1 };
