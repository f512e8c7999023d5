/** The content a page may have besides text. The order is part of the format: a page's vector has one place for each. */
export const kinds = ["bar-chart", "line-graph", "table", "map", "photo", "form", "diagram", "drawing"] as const;

export type Kind = (typeof kinds)[number];

/** One for each page type and one that fills the length to 1, padded to a multiple of eight as the vector index requires. */
export const kindDimensions = 16;

/** Minimum longer side of the pictures that are classified, in pixels. */
export const kindLongSide = 640;

/**
 * Encodes probabilities as a unit vector, so that its cosine with an axis is the probability of that page type divided by
 * the square root of the number of types.
 */
export function encodeKinds(probabilities: ReadonlyMap<Kind, number>): Float32Array {
  const vector = new Float32Array(kindDimensions);
  let rest = 1;
  for (const [index, kind] of kinds.entries()) {
    const share = (probabilities.get(kind) ?? 0) ** 2 / kinds.length;
    vector[index] = Math.sqrt(share);
    rest -= share;
  }
  vector[kinds.length] = Math.sqrt(Math.max(0, rest));
  return vector;
}

/** Encodes a query for pages of any of these types. Undefined if there are none: the space then gives no scores. */
export function encodeWanted(wanted: ReadonlySet<Kind>): Float32Array | undefined {
  if (wanted.size === 0) return undefined;
  const vector = new Float32Array(kindDimensions);
  for (const [index, kind] of kinds.entries()) if (wanted.has(kind)) vector[index] = 1 / Math.sqrt(wanted.size);
  return vector;
}
