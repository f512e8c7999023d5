import type { DocumentFormats } from "../domain/ports/formats.ts";
import { identifyDocument } from "./identify.ts";
import { containerOf } from "./signatures.ts";

/** PDF and Office Open XML, told apart from what only looks like them. */
export const documentFormats: DocumentFormats = {
  refuseAtOnce: (head) => void containerOf(head),
  identify: identifyDocument,
};
