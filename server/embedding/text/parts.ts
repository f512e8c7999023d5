export interface PartSize {
  /** Length of a part; neighbours share tokens − step. */
  readonly tokens: number;
  readonly step: number;
  readonly most: number;
}

/**
 * Returns overlapping parts that cover the sequence from start to end, for matches that the vector of a long page would
 * dilute. Empty if the sequence is no longer than one part. More than `most` parts become `most` longer ones, so that a page
 * of any length has few vectors and no blind spot.
 */
export function partsOf<Token>(tokens: readonly Token[], { tokens: size, step, most }: PartSize): (readonly Token[])[] {
  if (tokens.length <= size || most < 2) return [];
  const overlap = size - step;
  const count = Math.min(most, Math.ceil((tokens.length - overlap) / step));
  const stride = Math.max(step, Math.ceil((tokens.length - overlap) / count));
  return Array.from({ length: count }, (_, index) => tokens.slice(index * stride, index * stride + stride + overlap));
}
