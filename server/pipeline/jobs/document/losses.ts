import type { LocalFile } from "../../../domain/ports/blobs.ts";
import { kindOfExt } from "../../../domain/documents/kind.ts";
import { hasSystemFont } from "../../convert/fonts/system-fonts.ts";
import { findLosses } from "../../convert/losses/find-losses.ts";
import { XmlError } from "../../../formats/xml.ts";
import { DocumentError } from "../../errors.ts";
import type { Run } from "../running.ts";

/** Pages whose words are held at a time. */
const pagesAtOnce = 50;

/**
 * Notes what an Office document has and its pages do not show, once all of them can be read. Throws `DocumentError` if
 * next to nothing has arrived.
 */
export async function noteLosses(run: Run, original: LocalFile): Promise<void> {
  const { context, dataset, held, signal } = run;
  const { metadata, conversions, tracing, log } = context;
  const format = kindOfExt(dataset.fileExt)?.format;
  if (format === undefined || format === "pdf" || dataset.warnings !== null) return;
  // Words of pages that failed are missing for another reason, which is told.
  if ((await metadata.pages.failures([dataset.id])).size > 0) return;
  const [engine] = (await conversions.describe()).inUse;
  const hasFont = engine === "soffice" ? hasSystemFont : async () => false;
  const words = () => wordsOf(run);
  const found = await tracing
    .span("stage compare", {}, () => findLosses(original.path, { words, hasFont, signal }))
    .catch((cause: unknown) => {
      // The pre-check, which counts all parts together, has let it pass: parts that are not well-formed and not needed, and parts that
      // are out of bounds by themselves. The document is right without being compared.
      if (!(cause instanceof XmlError || cause instanceof DocumentError)) throw cause;
      log.debug({ datasetId: dataset.id, err: cause }, "not compared");
      return undefined;
    });
  if (found === undefined) return;
  if (found.isLost) {
    throw new DocumentError(
      "damaged",
      "next to nothing of the document's text came out of the conversion; save the document again, or as PDF, and upload that",
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
