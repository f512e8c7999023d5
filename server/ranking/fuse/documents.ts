import { documentKey, type FusionGroup } from "../../domain/ports/pack-ranking.ts";
import type { Candidates } from "../retrieve/candidates.ts";
import type { DocumentEvidence, KnownDocuments } from "../retrieve/documents.ts";

/** By place. */
interface DocumentFeatures {
  readonly documentName: Float64Array;
  readonly documentOpening: Float64Array;
  readonly documentWhole: Float64Array;
}

/**
 * Features of the documents that pages are of: BM25 of their names, first pages and whole texts, damped as that of pages is.
 * `known` is by `documentKey`.
 */
export function documentFeatures(
  { pages, documents }: Candidates,
  known: ReadonlyMap<string, DocumentEvidence>,
): DocumentFeatures {
  const [documentName, documentOpening, documentWhole] = [columnOf(pages), columnOf(pages), columnOf(pages)];
  for (const document of documents) {
    const evidence = known.get(documentKey(document));
    if (evidence === undefined) continue;
    const [name, opening, whole] = [evidence.name, evidence.opening, evidence.whole].map(Math.sqrt);
    for (const place of document.places.values()) {
      documentName[place] = name ?? 0;
      documentOpening[place] = opening ?? 0;
      documentWhole[place] = whole ?? 0;
    }
  }
  return { documentName, documentOpening, documentWhole };
}

const columnOf = ({ length }: Candidates["pages"]): Float64Array => new Float64Array(length);

interface OfDocuments extends Pick<KnownDocuments, "documents"> {
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
export const meantOf = ({ documents, meant = new Set() }: KnownDocuments): KnownDocuments["documents"] =>
  new Map(Array.from(documents).filter(([key]) => meant.has(key)));
