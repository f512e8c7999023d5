import type { DocumentEvidence } from "../../domain/ports/pack-ranking.ts";

export interface DocumentFeatures {
  readonly documentName: number;
  readonly documentOpening: number;
  readonly documentWhole: number;
}

/** Features of the document that a page is of: BM25 of its name, first pages and whole text, damped as that of pages is. */
export const documentFeatures = ({ name, opening, whole }: DocumentEvidence): DocumentFeatures => ({
  documentName: Math.sqrt(name),
  documentOpening: Math.sqrt(opening),
  documentWhole: Math.sqrt(whole),
});
