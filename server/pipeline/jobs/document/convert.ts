import { join } from "node:path";
import { convertedKey, type Dataset, keyOfClaim } from "../../../domain/datasets/dataset.ts";
import { kindOfExt } from "../../../domain/documents/kind.ts";
import type { LocalFile } from "../../../domain/ports/blobs.ts";
import type { OfficeFormat } from "../../convert/converter.ts";
import { prepareOffice } from "../../convert/prepare/prepare.ts";
import { fittingFailure } from "../../convert/precheck/cells.ts";
import { precheckOffice } from "../../convert/precheck/precheck.ts";
import type { JobContext } from "../context.ts";
import { type DocumentReader, opening, readerFor } from "./suspects.ts";
import type { HeldLease, InFlight } from "../lease.ts";
import { createReadStream } from "node:fs";
import { withStoredBlob } from "../../../domain/blobs/stored-blob.ts";
import type { OfficeFacts } from "../../convert/precheck/facts.ts";
import { DocumentError } from "../../errors.ts";

interface Conversion {
  readonly dataset: Dataset;
  readonly original: LocalFile;
  readonly held: HeldLease;
  readonly inFlight: InFlight;
  readonly suspects: readonly number[];
  readonly signal: AbortSignal;
}

/**
 * Opens the PDF of a dataset's pages: the original, or the conversion of an Office document, made now or by an earlier run of
 * the job. Throws `DocumentError` if the document cannot be converted.
 */
export async function openPdf(context: JobContext, conversion: Conversion): Promise<LocalFile> {
  const { dataset, original, held } = conversion;
  const kind = kindOfExt(dataset.fileExt);
  if (kind === undefined) throw new Error(`${dataset.id} has the unknown ending ${dataset.fileExt}`);
  if (kind.format === "pdf") return original;
  const converted = dataset.convertedSize === null ? undefined : await context.blobs.asFile(convertedKey(dataset));
  if (converted !== undefined) return converted;
  const { format } = kind;
  await context.tracing.span("stage convert", {}, () => convert(context, format, conversion));
  const key = keyOfClaim("converted", dataset.id, held.lease);
  const made = await context.blobs.asFile(key);
  if (made === undefined) throw new Error(`the converted document ${key} has gone`);
  return made;
}

async function convert(context: JobContext, format: OfficeFormat, conversion: Conversion): Promise<void> {
  const { dataset, original, held, inFlight, suspects, signal } = conversion;
  const { metadata, conversions, scratch, settings, clock, log } = context;
  const progress = { stage: "convert", pagesDone: 0, pagesTotal: 0 } as const;
  await held.confirm(metadata.jobs.setProgress(held.lease, progress, clock()));
  const facts = await precheckOffice(original.path, { signal });

  const folder = await scratch.folder();
  try {
    const output = join(folder, "document.pdf");
    const input = { file: original.path, facts, fileName: dataset.fileName, signal };
    const prepared = await prepareOffice(input, join(folder, `prepared.${format}`));
    const { engine } = await conversions
      .convert(
        {
          file: prepared,
          extension: format,
          output,
          // One page more than allowed reveals that there are too many.
          ...(format === "xlsx" && { lastPage: settings.maxSheetPages + 1 }),
        },
        { signal, timeoutMs: settings.convertTimeoutMs, onStart: () => inFlight.start([opening]) },
      )
      .catch((cause: unknown) => {
        throw fittingFailure(cause, facts);
      });
    log.debug({ datasetId: dataset.id, engine }, "converted");
    await checkConverted(context, { pdf: output, facts, reader: readerFor(context, suspects), signal });
    await keepConverted(context, { dataset, file: output, held, signal });
    inFlight.end(opening);
  } finally {
    await scratch.remove(folder);
  }
}

/** Time after which a PDF that has not been recorded is removed, longer than writing one takes. */
const writeMs = 3_600_000;

/**
 * Stores the PDF of a converted Office document, under a key that only this claim uses, and records it. Until then its bytes are
 * on the garbage list, so that a crash leaves nothing behind.
 */
export async function keepConverted(
  { metadata, blobs, clock }: Pick<JobContext, "metadata" | "blobs" | "clock">,
  { dataset, file, held, signal }: { dataset: Dataset; file: string; held: HeldLease; signal: AbortSignal },
): Promise<void> {
  const key = keyOfClaim("converted", dataset.id, held.lease);
  await withStoredBlob({ metadata, clock }, { key, lease: held.lease, withinMs: writeMs }, async () => {
    const { size } = await blobs.put(key, createReadStream(file), signal);
    await held.confirm(metadata.datasets.setConverted(held.lease, dataset.id, { key, size }, clock()));
  });
}

/**
 * Minimum visible text of a document whose conversion cannot be blank. Less text may be invisible for a reason that the pre-check
 * does not know, and a blank document has none.
 */
const tellingCharacters = 100;
/** Maximum pages of a conversion to search for text. */
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
