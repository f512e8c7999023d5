import type { Candidates } from "../retrieve/candidates.ts";
import type { Reading } from "../rerank/reading.ts";
import type { FusionGroup } from "../../domain/ports/pack-ranking.ts";
import { documentFeatures } from "../rerank/document-features.ts";

interface OfDocuments extends Pick<Reading, "documents"> {
  /** By place. */
  readonly sum: Float64Array;
}

/** By place: the sum with what the documents count by the weights of the second stage, before any page is read. */
export function withDocuments(
  { ranker }: Pick<FusionGroup, "ranker">,
  found: Candidates,
  { sum, documents }: OfDocuments,
): Float64Array {
  if (ranker === undefined || documents.size === 0) return sum;
  const all = sum.slice();
  const values = documentFeatures(found, documents);
  for (const name of ["documentName", "documentOpening", "documentWhole"] as const) {
    const weight = ranker.weights[name] ?? 0;
    for (let place = 0; place < all.length; place++)
      all[place] = (all[place] ?? 0) + weight * (values[name][place] ?? 0);
  }
  return all;
}

/**
 * The evidence of the documents that are meant, and of no others: where the question names a report, pages have to be like the
 * best ones of it. What other documents say of the same matter in the same words would be like itself.
 */
export function meantIn(reading: Reading | undefined): Reading["documents"] {
  const [meant, documents] = [reading?.meant ?? new Set(), reading?.documents ?? new Map()];
  return new Map(Array.from(documents).filter(([key]) => meant.has(key)));
}
