import type { Span } from "../../../domain/ports/tracing.ts";
import type { PageRecord } from "../../../domain/ports/pages.ts";
import type { PageFailure } from "../../../domain/jobs/job.ts";
import type { PageRead } from "../../threads/pool.ts";
import { isolatedReader, planPages } from "./suspects.ts";
import { countPages, createPageSpans, listenWithSpans } from "./page-spans.ts";
import { createBatcher } from "./batcher.ts";
import type { Run } from "../context.ts";

/** Pages are saved in groups, each in a short transaction, often enough that progress looks live and a crash loses little. */
const saveLimits = { count: 200, ms: 250 };

/**
 * Reads the words and size of every page that has not been read yet, which shows whether the page is readable. Pages become
 * visible as items, one group at a time.
 */
export function readPages(run: Run): Promise<ReadPages> {
  return run.context.tracing.span("stage read", {}, (stage) => readInto(run, stage));
}

interface ReadPages {
  readonly readable: number;
  readonly firstFailure: string;
}

async function readInto(run: Run, stage: Span): Promise<ReadPages> {
  const { context, dataset, file, held, inFlight, suspects, pageCount, signal } = run;
  const { metadata, pool, clock, meter } = context;
  const finished = new Set(await metadata.pages.finished(dataset.id));
  const missing = Array.from({ length: pageCount }, (_, index) => index + 1).filter((page) => !finished.has(page));
  const plan = planPages(missing, suspects);
  let done = finished.size;

  const save = createBatcher<PageRecord>(saveLimits, async (pages) => {
    await held.confirm(metadata.pages.save(held.lease, dataset.id, pages, clock()));
    done += pages.length;
    countPages(
      meter,
      "read",
      pages.map(({ failure }) => failure),
    );
    await run.progress("read", done);
  });
  await run.progress("read", done);

  const spans = createPageSpans(stage, "read page");
  const on = listenWithSpans<PageRead>(spans, {
    start: (pages) => inFlight.start(pages),
    async page(result) {
      inFlight.end(result.page);
      await save.add("reason" in result ? failed(result) : { ...result, failure: null });
    },
  });
  await pool.readPages({ file, pages: plan.clean }, on, signal);
  await isolatedReader(context).readPages({ file, pages: plan.suspects }, on, signal);
  await save.flush();
  spans.close();

  const failures = (await metadata.pages.failures([dataset.id])).get(dataset.id) ?? [];
  const readable = await metadata.pages.readable(dataset.id);
  return { readable: readable.length, firstFailure: failures[0]?.reason ?? "" };
}

function failed({ page, reason }: PageFailure): PageRecord {
  return { page, width: 0, height: 0, words: "", failure: reason };
}
