import type { DocumentFormats } from "../domain/documents/source.ts";
import { identifyDocument } from "./identify.ts";
import { containerOf } from "./signatures.ts";

/** Recognises PDF and Office Open XML, and rejects files that only look like them. */
export const documentFormats: DocumentFormats = {
  refuseAtOnce: (head) => void containerOf(head),
  identify: identifyDocument,
};
