import type { Library } from "./library.ts";

/** Maximum bytes of a text, longer than any title; a longer text is ignored. */
const maxBytes = 64 * 1024;

/** Reads a text of the document's information dictionary (ISO 32000-1, 14.3.3); empty if there is none, or it is unreasonably long. */
export function infoOf({ functions, call, scratch, heap }: Library, document: number, key: "Title" | "Author"): string {
  // UTF-16 with a terminator of two bytes.
  const bytes = call(() => functions.FPDF_GetMetaText(document, key, 0, 0));
  if (bytes <= 2 || bytes > maxBytes) return "";
  return scratch(bytes, (pointer) => {
    call(() => functions.FPDF_GetMetaText(document, key, pointer, bytes));
    return Buffer.from(heap().buffer, pointer, bytes - 2).toString("utf16le");
  });
}
