import { documentKey } from "../../domain/ports/pack-ranking.ts";
import type { Candidates } from "../retrieve/candidates.ts";
import type { DocumentEvidence } from "../retrieve/documents.ts";

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
