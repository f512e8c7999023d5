/** Pixels that are ink (1) or not (0), rows from the top. */
export interface Mask {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array;
}
