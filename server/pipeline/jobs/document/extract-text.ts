import type { PageRecord } from "../../../domain/ports/pages.ts";
import type { PageFailure } from "../../../domain/jobs/job.ts";
import { readerApart } from "./apart.ts";
import { countPages } from "./count-pages.ts";
import { createBatcher } from "./flush.ts";
import { planPages } from "./plan.ts";
import type { Run } from "../running.ts";

/** One short transaction per group; often enough for progress to look live and for a crash to cost little. */
const saveLimits = { count: 200, ms: 250 };

/**
 * Reads every page that has not been read: the proof that it can be read, its words and its size. Pages become
 * visible as items group by group.
 */
export async function readPages(run: Run): Promise<{ readable: number; firstFailure: string }> {
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

  const on = {
    start: (pages: readonly number[]) => inFlight.start(pages),
    async page(result: ReadOutcome) {
      inFlight.end(result.page);
      await save.add("reason" in result ? failed(result) : { ...result, failure: null });
    },
  };
  await pool.readPages({ file, pages: plan.clean }, on, signal);
  await readerApart(context).readPages({ file, pages: plan.suspects }, on, signal);
  await save.flush();

  const failures = (await metadata.pages.failures([dataset.id])).get(dataset.id) ?? [];
  const readable = await metadata.pages.readable(dataset.id);
  return { readable: readable.length, firstFailure: failures[0]?.reason ?? "" };
}

type ReadOutcome = Omit<PageRecord, "failure"> | PageFailure;

function failed({ page, reason }: PageFailure): PageRecord {
  return { page, width: 0, height: 0, words: "", failure: reason };
}
