import type { Span } from "../../../domain/ports/tracing.ts";
import type { RenditionRow } from "../../../domain/items/item.ts";
import { countPages, createPageSpans } from "./page-spans.ts";
import { planPages } from "./suspects.ts";
import type { Run } from "../context.ts";

const rows: readonly RenditionRow[] = ["jpg", "pdf"];

/** Makes all renditions of all readable pages if `DRS_RENDITIONS=eager`. */
export function renderPages(run: Run): Promise<void> {
  return run.context.tracing.span("stage render", {}, (stage) => renderAll(run, stage));
}

async function renderAll(run: Run, stage: Span): Promise<void> {
  const { context, dataset, pageCount, signal, inFlight } = run;
  const readable = await context.metadata.pages.readable(dataset.id);
  const { clean, suspects } = planPages(readable, run.suspects);
  let done = pageCount - readable.length;
  await run.progress("render", done);
  let reportedAt = performance.now();
  const queue = clean.values();
  const spans = createPageSpans(stage, "render page");

  async function make(page: number, isSuspect: boolean): Promise<void> {
    signal.throwIfAborted();
    const failures: (string | null)[] = [];
    spans.start([page]);
    for (const row of rows) failures.push(await makeOne(run, { page, row, isSuspect }));
    const failure = failures.find((reason) => reason !== null) ?? null;
    spans.end(page, failure);
    countPages(context.meter, "render", [failure]);
    done += 1;
    if (performance.now() - reportedAt < 250) return;
    reportedAt = performance.now();
    await run.progress("render", done);
  }

  async function work(): Promise<void> {
    for (const page of queue) {
      await inFlight.start([page]);
      await make(page, false);
      inFlight.end(page);
    }
  }
  await Promise.all(Array.from({ length: context.settings.workers }, work));
  for (const page of suspects) await make(page, true);
  spans.close();
}

/** Makes one rendition. Returns the reason if it fails, null if it exists. */
async function makeOne(
  { context, dataset, held, signal }: Run,
  { page, row, isSuspect }: { page: number; row: RenditionRow; isSuspect: boolean },
): Promise<string | null> {
  const { metadata, renditions, clock } = context;
  try {
    await renditions.make({ datasetId: dataset.id, page, row }, { signal, isSuspect });
    return null;
  } catch (cause) {
    signal.throwIfAborted();
    const reason = cause instanceof Error ? cause.message : String(cause);
    await held.confirm(metadata.pages.noteFailures(held.lease, dataset.id, "render", [{ page, reason }], clock()));
    return reason;
  }
}
