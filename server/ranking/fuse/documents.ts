import { documentKey, type FusionGroup } from "../../domain/ports/pack-ranking.ts";
import type { Candidates } from "../retrieve/candidates.ts";
import type { DocumentEvidence, KnownDocuments } from "../retrieve/documents.ts";

/** Feature values by place. */
interface DocumentFeatures {
  readonly documentName: Float64Array;
  readonly documentOpening: Float64Array;
  readonly documentWhole: Float64Array;
}

/**
 * Returns the features of the documents to which pages belong: BM25 of their names, first pages and whole texts, damped like the
 * BM25 of pages. `known` is by `documentKey`.
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

interface SpaceAndDocumentEvidence extends Pick<KnownDocuments, "documents"> {
  /** The evidence of the spaces, by place. */
  readonly sum: Float64Array;
}

/** Adds the evidence of documents, with the weights of the second stage, before any page is read. The result is by place. */
export function withDocuments(
  { ranker }: Pick<FusionGroup, "ranker">,
  found: Candidates,
  { sum, documents }: SpaceAndDocumentEvidence,
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
 * Returns the evidence of only the documents that the question names: if it names a report, pages should resemble the best pages
 * of that report. Other documents on the same subject use the same words, and their pages would resemble each other.
 */
export const targetDocuments = ({ documents, targets = new Set() }: KnownDocuments): KnownDocuments["documents"] =>
  new Map(Array.from(documents).filter(([key]) => targets.has(key)));
