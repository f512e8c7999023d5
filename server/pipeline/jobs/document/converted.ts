import type { OfficeFacts } from "../../convert/precheck/facts.ts";
import { DocumentError } from "../../errors.ts";
import type { DocumentReader } from "./apart.ts";
import type { JobContext } from "../context.ts";

/**
 * A document with this much visible text cannot have a blank conversion. Less text may be invisible for a reason that the
 * pre-check does not know, and a blank document has none.
 */
const tellingCharacters = 100;
/** Maximum pages of a conversion that is searched for text. */
const sampledPages = 20;

/**
 * Checks that a conversion is complete: converters that run out of memory or fail on a part may end successfully with a PDF
 * that is blank or stops early. Throws `DocumentError` if it is not complete.
 */
export async function checkConverted(
  { settings }: Pick<JobContext, "settings">,
  { pdf, facts, reader, signal }: { pdf: string; facts: OfficeFacts; reader: DocumentReader; signal: AbortSignal },
): Promise<void> {
  const pages = await reader.countPages(pdf, signal);
  if (facts.kind.format === "xlsx") {
    if (pages <= settings.maxSheetPages) return;
    throw new DocumentError(
      "too-heavy",
      `the spreadsheet prints to more than ${settings.maxSheetPages} pages; set print areas in it, or let the operator raise --max-sheet-pages`,
    );
  }
  const shownSlides = facts.slides - facts.hiddenSlides;
  if (facts.kind.format === "pptx" && pages < shownSlides) {
    throw incomplete(`only ${pages} of ${shownSlides} slides came out of the conversion`);
  }
  if (facts.shownCharacters < tellingCharacters || pages > sampledPages) return;
  if (!(await hasWords(reader, { pdf, pages, signal }))) throw incomplete("the conversion came out blank");
}

async function hasWords(
  reader: DocumentReader,
  { pdf, pages, signal }: { pdf: string; pages: number; signal: AbortSignal },
): Promise<boolean> {
  let found = false;
  const on = {
    start: () => undefined,
    page(result: { readonly words: string } | { readonly reason: string }) {
      found ||= "words" in result && result.words.trim() !== "";
    },
  };
  await reader.readPages({ file: pdf, pages: Array.from({ length: pages }, (_, index) => index + 1) }, on, signal);
  return found;
}

const incomplete = (what: string): DocumentError =>
  new DocumentError("damaged", `${what}; save the document again, or as PDF, and upload that`);
