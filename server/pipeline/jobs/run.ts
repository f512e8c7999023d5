import { originalKey } from "../../domain/datasets/dataset.ts";
import type { JobStage } from "../../domain/jobs/job.ts";
import type { ClaimedJob } from "../../domain/ports/jobs.ts";
import { DocumentError } from "../errors.ts";
import { jobReason } from "./failures.ts";
import type { JobContext, Run } from "./context.ts";
import { opening, readerFor } from "./document/suspects.ts";
import { openPdf } from "./document/convert.ts";
import { embedPages } from "./document/embed-pages.ts";
import { fetchOriginal } from "./document/fetch.ts";
import { type HeldLease, trackInFlight } from "./lease.ts";
import { noteLosses } from "./document/losses.ts";
import { readPages } from "./document/extract-text.ts";
import { renderPages } from "./document/render.ts";

/** Maximum pages, more than any real document has. A page tree that claims more is an attack. */
export const maxPages = 100_000;

/** The dispatcher's control over a running job. */
export interface JobControl {
  /** Aborts when the process is stopping. */
  readonly stopping: AbortSignal;
  /** Runs work that only waits for other machines, so that another job may be claimed in the meantime. */
  whileWaiting<Result>(wait: () => Promise<Result>): Promise<Result>;
}

interface JobEnd {
  readonly status: "SUCCESS" | "ERROR";
  /** A label for metrics, one of a small set; empty for a success. */
  readonly reason: string;
}

/**
 * Runs one job from the point where an earlier worker left it to its final status. If it throws `LeaseLost` or the signal's
 * reason, the job keeps its state, and the next claim continues it.
 */
export async function runJob(
  context: JobContext,
  claimed: ClaimedJob,
  held: HeldLease,
  { stopping, whileWaiting }: JobControl,
): Promise<JobEnd> {
  const { metadata, clock, tracing } = context;
  const { datasetId } = claimed.job;
  const end = async (status: JobEnd["status"], statusText: string, reason = ""): Promise<JobEnd> => {
    await held.confirm(metadata.jobs.finish(held.lease, { status, statusText }, clock()));
    countEnd(context, claimed.job, status, reason);
    return { status, reason };
  };

  const dataset = await metadata.datasets.getUnscoped(datasetId, clock());
  if (dataset === undefined) return end("ERROR", goneText, "gone");
  const signal = AbortSignal.any([held.lost, stopping]);
  try {
    if (claimed.retriesFailures) await held.confirm(metadata.pages.clearFailures(held.lease, datasetId));
    const address = await metadata.fetches.get(datasetId);
    const stored =
      address === undefined
        ? dataset
        : await whileWaiting(() =>
            tracing.span("stage fetch", {}, () => fetchOriginal(context, { dataset, address, held, signal })),
          );
    return await end("SUCCESS", await processDocument(context, claimed, { dataset: stored, held, signal }));
  } catch (cause) {
    if (!(cause instanceof DocumentError)) throw cause;
    return end("ERROR", cause.message, jobReason(cause));
  }
}

/** Counts the end of a job; `reason` is empty for a success. */
export function countEnd(
  { meter, clock }: Pick<JobContext, "meter" | "clock">,
  { type, startedAt, createdAt }: ClaimedJob["job"],
  status: "SUCCESS" | "ERROR",
  reason: string,
): void {
  const result = status === "SUCCESS" ? "succeeded" : "failed";
  meter.count("jobs", { type, result, reason });
  meter.time("jobs", { type, result }, Math.max(0, clock() - (startedAt ?? createdAt)) / 1000);
}

const goneText = "the dataset no longer exists";

/** Runs all stages of the job on a stored document; returns the status text. Throws `DocumentError`. */
async function processDocument(
  context: JobContext,
  { job, suspects }: ClaimedJob,
  { dataset, held, signal }: Pick<Run, "dataset" | "held" | "signal">,
): Promise<string> {
  const { metadata, blobs, clock } = context;
  const original = await blobs.asFile(originalKey(dataset));
  if (original === undefined) throw new DocumentError("damaged", goneText);
  const inFlight = trackInFlight(metadata.jobs, held);
  const pdfs = new Set([original]);
  try {
    const pdf = await openPdf(context, { dataset, original, held, inFlight, suspects, signal });
    pdfs.add(pdf);
    const file = pdf.path;
    const pageCount = await openDocument(context, { dataset, file, suspects, held, inFlight, signal });
    await held.confirm(metadata.datasets.setItemCount(held.lease, dataset.id, pageCount, clock()));
    await noteProperties(context, { dataset, file, suspects, held, inFlight, signal });
    const progress = (stage: JobStage, pagesDone: number): Promise<void> =>
      held.confirm(metadata.jobs.setProgress(held.lease, { stage, pagesDone, pagesTotal: pageCount }, clock()));
    const run: Run = { context, dataset, file, held, inFlight, suspects, pageCount, signal, progress };

    const { readable, firstFailure } = await readPages(run);
    if (readable === 0) throw new DocumentError("damaged", `no page of the document can be read: ${firstFailure}`);
    await noteLosses(run, original);
    if (context.settings.renditions === "eager") await renderPages(run);
    if (job.type === "datasets/vectorize") await embedPages(run);
    await inFlight.clear();
    await progress("done", pageCount);
    return await successText(run);
  } finally {
    for (const pdf of pdfs) await pdf.release();
  }
}

type Opening = Pick<Run, "dataset" | "file" | "held" | "inFlight" | "suspects" | "signal">;

/** Opens the document for the first time and returns its number of pages. Throws `DocumentError`. */
async function openDocument(
  context: JobContext,
  { dataset, file, suspects, held, inFlight, signal }: Opening,
): Promise<number> {
  const { metadata, clock, tracing } = context;
  await held.confirm(metadata.jobs.setProgress(held.lease, { stage: "read", pagesDone: 0, pagesTotal: 0 }, clock()));
  await inFlight.start([opening]);
  const pageCount = await tracing.span("stage count", {}, () => readerFor(context, suspects).countPages(file, signal));
  inFlight.end(opening);
  if (pageCount > maxPages) {
    throw new DocumentError(
      "damaged",
      `the document claims to have ${pageCount} pages; at most ${maxPages} are accepted`,
    );
  }
  const allowed = (await metadata.plans.ofWorkspace(dataset.workspaceId))?.maxPages ?? maxPages;
  if (pageCount > allowed) {
    throw new DocumentError(
      "too-large",
      `the document has ${pageCount} pages; your organisation's plan allows ${allowed}: split it, or ask for another plan`,
    );
  }
  return pageCount;
}

async function successText({ context, dataset, pageCount }: Run): Promise<string> {
  const failures = (await context.metadata.pages.failures([dataset.id])).get(dataset.id) ?? [];
  if (failures.length === 0) return "";
  return `${failures.length} of ${pageCount} pages could not be processed; they are listed in failures`;
}

/**
 * Records the title and author that the file declares, so that searches find the document by them. They are not read if opening
 * the document has crashed a process before, because the document can do without them.
 */
async function noteProperties(
  { metadata, pool }: Pick<JobContext, "metadata" | "pool">,
  { dataset, file, held, inFlight, suspects, signal }: Opening,
): Promise<void> {
  if (suspects.includes(opening)) return;
  await inFlight.start([opening]);
  const { title, author } = await pool.readProperties(file, signal);
  inFlight.end(opening);
  if (title === dataset.title && author === dataset.author) return;
  await held.confirm(metadata.datasets.setProperties(held.lease, dataset.id, { title, author }));
}
