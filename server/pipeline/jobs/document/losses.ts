import type { LocalFile } from "../../../domain/ports/blobs.ts";
import { kindOfExt } from "../../../domain/documents/kind.ts";
import { hasSystemFont } from "../../convert/fonts/font-config.ts";
import { findLosses } from "../../convert/losses/find-losses.ts";
import { XmlError } from "../../../formats/xml.ts";
import { DocumentError } from "../../errors.ts";
import type { Run } from "../context.ts";

/** Maximum pages whose words are in memory at a time. */
const pagesAtOnce = 50;

/**
 * Records the content of an Office document that its pages do not show, provided that all of them can be read. Throws
 * `DocumentError` if the pages show almost nothing of it.
 */
export async function noteLosses(run: Run, original: LocalFile): Promise<void> {
  const { context, dataset, held, signal } = run;
  const { metadata, conversions, tracing, log } = context;
  const format = kindOfExt(dataset.fileExt)?.format;
  if (format === undefined || format === "pdf" || dataset.warnings !== null) return;
  // The words of failed pages are missing as well, but for another reason, which is reported separately.
  if ((await metadata.pages.failures([dataset.id])).size > 0) return;
  const [engine] = (await conversions.describe()).inUse;
  const hasFont = engine === "soffice" ? hasSystemFont : async () => false;
  const words = () => wordsOf(run);
  const found = await tracing
    .span("stage compare", {}, () => findLosses(original.path, { words, hasFont, signal }))
    .catch((cause: unknown) => {
      // The pre-check counts all parts together, so it accepts parts that exceed a limit by themselves, and malformed parts that
      // are not needed. Documents with these parts are not compared, which does no harm.
      if (!(cause instanceof XmlError || cause instanceof DocumentError)) throw cause;
      log.debug({ datasetId: dataset.id, err: cause }, "not compared");
      return undefined;
    });
  if (found === undefined) return;
  if (found.isLost) {
    throw new DocumentError(
      "damaged",
      "almost none of the document's text was converted; save the document again, or as PDF, and upload that",
    );
  }
  await held.confirm(metadata.datasets.setWarnings(held.lease, dataset.id, found.warnings));
}

async function* wordsOf({ context: { metadata }, dataset, signal }: Run): AsyncGenerator<string> {
  for (let after = 0; ;) {
    signal.throwIfAborted();
    const pages = await metadata.pages.stored(dataset.id, after, pagesAtOnce);
    for (const { words } of pages) yield words;
    after = pages.at(-1)?.page ?? 0;
    if (pages.length < pagesAtOnce) return;
  }
}
