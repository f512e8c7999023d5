import type { RenditionRow } from "../../domain/items/item.ts";
import { planPages } from "./plan.ts";
import type { Run } from "./running.ts";

const rows: readonly RenditionRow[] = ["jpg", "pdf"];

/** Makes all renditions of all readable pages: for those who set `DRS_RENDITIONS=eager`. */
export async function renderPages(run: Run): Promise<void> {
  const { context, dataset, pageCount, signal, inFlight } = run;
  const readable = await context.metadata.pages.readable(dataset.id);
  // Those of suspects are made when they are asked for.
  const pages = planPages(readable, run.suspects).clean;
  let done = pageCount - pages.length;
  await run.progress("render", done);
  let told = performance.now();
  const queue = pages.values();

  async function work(): Promise<void> {
    for (const page of queue) {
      signal.throwIfAborted();
      await inFlight.start([page]);
      for (const row of rows) await makeOne(run, page, row);
      inFlight.end(page);
      done += 1;
      if (performance.now() - told < 250) continue;
      told = performance.now();
      await run.progress("render", done);
    }
  }
  await Promise.all(Array.from({ length: context.settings.workers }, work));
}

async function makeOne({ context, dataset, held, signal }: Run, page: number, row: RenditionRow): Promise<void> {
  const { metadata, renditions, clock } = context;
  try {
    await renditions.make({ datasetId: dataset.id, page, row }, signal);
  } catch (cause) {
    signal.throwIfAborted();
    const reason = cause instanceof Error ? cause.message : String(cause);
    await held.confirm(metadata.pages.noteFailures(held.lease, dataset.id, "render", [{ page, reason }], clock()));
  }
}
