/** What a page may show, besides text. The order is part of the format: a page's vector has one place for each. */
export const kinds = ["bar-chart", "line-graph", "table", "map", "photo", "form", "diagram", "drawing"] as const;

export type Kind = (typeof kinds)[number];

/** One for each kind, one that makes up the length, and room to a multiple of eight, as the vector index wants it. */
export const kindDimensions = 16;

/** Pixels of the longer side on which pages are looked at, at least. */
export const kindLongSide = 640;

/**
 * Probabilities as a unit vector, so that its cosine with an axis is the probability of that kind over the square root
 * of how many kinds there are.
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

/** What the words of a query ask for: pages of any of these kinds. Undefined: none, and the space gives no scores. */
export function encodeWanted(wanted: ReadonlySet<Kind>): Float32Array | undefined {
  if (wanted.size === 0) return undefined;
  const vector = new Float32Array(kindDimensions);
  for (const [index, kind] of kinds.entries()) if (wanted.has(kind)) vector[index] = 1 / Math.sqrt(wanted.size);
  return vector;
}
