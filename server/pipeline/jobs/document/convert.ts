import { join } from "node:path";
import { convertedKey, type Dataset, keyOfClaim } from "../../../domain/datasets/dataset.ts";
import { kindOfExt } from "../../../domain/documents/kind.ts";
import type { LocalFile } from "../../../domain/ports/blobs.ts";
import type { OfficeFormat } from "../../convert/converter.ts";
import { prepareOffice } from "../../convert/prepare/prepare.ts";
import { fittingFailure } from "../../convert/precheck/cells.ts";
import { precheckOffice } from "../../convert/precheck/precheck.ts";
import type { JobContext } from "../context.ts";
import { readerFor } from "./apart.ts";
import { checkConverted } from "./converted.ts";
import { opening } from "./plan.ts";
import type { InFlight } from "./in-flight.ts";
import { keepConverted } from "./keep-converted.ts";
import type { HeldLease } from "../lease.ts";

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
          // One page more than allowed shows that there are too many.
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
