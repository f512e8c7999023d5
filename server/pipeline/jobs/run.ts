import { originalKey } from "../../domain/datasets/dataset.ts";
import type { JobStage } from "../../domain/jobs/job.ts";
import type { ClaimedJob } from "../../domain/ports/metadata.ts";
import { DocumentError } from "../errors.ts";
import type { JobContext } from "./context.ts";
import { crashReason, maxCrashes, opening } from "./crashes.ts";
import { openPdf } from "./convert.ts";
import { embedPages } from "./embed.ts";
import { trackInFlight } from "./in-flight.ts";
import type { HeldLease } from "./lease.ts";
import { readPages } from "./read.ts";
import { renderPages } from "./render.ts";
import type { Run } from "./running.ts";

/** More pages than any document that people make; a page tree that claims more is an attack. */
const maxPages = 100_000;

/**
 * Works on one job from wherever an earlier worker left it, to its final status. Throws `LeaseLost` or the signal's
 * reason; then the job is as it was, to be gone on with by whoever holds it next.
 */
export async function runJob(
  context: JobContext,
  { job, crashes }: ClaimedJob,
  held: HeldLease,
  stopping: AbortSignal,
): Promise<void> {
  const { metadata, blobs, clock } = context;
  const { lease } = held;
  const end = (status: "SUCCESS" | "ERROR", statusText: string): Promise<void> =>
    held.confirm(metadata.jobs.finish(lease, { status, statusText }, clock()));

  const dataset = await metadata.datasets.getUnscoped(job.datasetId, clock());
  const original = dataset && (await blobs.asFile(originalKey(dataset.id)));
  if (original === undefined || dataset === undefined) return end("ERROR", "the dataset no longer exists");
  const signal = AbortSignal.any([held.lost, stopping]);
  const inFlight = trackInFlight(metadata.jobs, held);
  const pdfs = new Set([original]);
  try {
    const deaths = crashes.find(({ page }) => page === opening)?.crashes ?? 0;
    const pdf = await openPdf(context, { dataset, original, held, inFlight, deaths, signal });
    pdfs.add(pdf);
    const file = pdf.path;
    const pageCount = await openDocument(context, { file, deaths, held, inFlight, signal });
    await metadata.datasets.setItemCount(dataset.id, pageCount, clock());
    const progress = (stage: JobStage, pagesDone: number): Promise<void> =>
      held.confirm(metadata.jobs.setProgress(lease, { stage, pagesDone, pagesTotal: pageCount }, clock()));
    const run: Run = { context, dataset, file, held, inFlight, crashes, pageCount, signal, progress };

    const { readable, firstFailure } = await readPages(run);
    if (readable === 0) throw new DocumentError("damaged", `no page of the document can be read: ${firstFailure}`);
    if (context.settings.renditions === "eager") await renderPages(run);
    if (job.type === "datasets/vectorize") await embedPages(run);
    await inFlight.clear();
    await progress("done", pageCount);
    await end("SUCCESS", await successText(run));
  } catch (cause) {
    if (!(cause instanceof DocumentError)) throw cause;
    await end("ERROR", cause.message);
  } finally {
    for (const pdf of pdfs) await pdf.release();
  }
}

type Opening = Pick<Run, "file" | "held" | "inFlight" | "signal"> & { readonly deaths: number };

/** Opens the document for the first time; its number of pages. Throws `DocumentError`. */
async function openDocument(
  { pool, metadata, clock }: JobContext,
  { file, deaths, held, inFlight, signal }: Opening,
): Promise<number> {
  if (deaths >= maxCrashes) {
    throw new DocumentError("damaged", crashReason.replace("worked on this page", "opened the document"));
  }
  await held.confirm(metadata.jobs.setProgress(held.lease, { stage: "read", pagesDone: 0, pagesTotal: 0 }, clock()));
  await inFlight.start([opening]);
  const pageCount = await pool.countPages(file, signal);
  inFlight.end(opening);
  if (pageCount > maxPages) {
    throw new DocumentError(
      "damaged",
      `the document claims to have ${pageCount} pages; at most ${maxPages} are accepted`,
    );
  }
  return pageCount;
}

async function successText({ context, dataset, pageCount }: Run): Promise<string> {
  const failures = (await context.metadata.pages.failures([dataset.id])).get(dataset.id) ?? [];
  if (failures.length === 0) return "";
  return `${failures.length} of ${pageCount} pages could not be processed; they are listed in failures`;
}
