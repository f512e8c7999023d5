import type { Dataset } from "../../../domain/datasets/dataset.ts";
import type { Span } from "../../../domain/ports/tracing.ts";
import type { ComputedPage, NewPart } from "../../../domain/ports/features.ts";
import type { Absences } from "../../../domain/ports/pages.ts";
import { chooseIndex, type ChosenIndex } from "./chosen-pack.ts";
import type { JobContext, Run } from "../context.ts";
import { countPages, createPageSpans, listenWithSpans, type PageSpans } from "./page-spans.ts";
import { createBatcher } from "./batcher.ts";
import { type PagePlan, planPages } from "./suspects.ts";
import type { HeldLease, InFlight } from "../lease.ts";
import { type Outcome, putPages, retireStray } from "./put-pages.ts";
import { describeDocument } from "./describe.ts";

/**
 * Every append to the index creates a version and a fragment, so appends are made rare. This number of pages has about 5 MB of
 * vectors.
 */
const putLimits = { count: 256, ms: 5_000 };

/** Maximum pages whose words are in memory; few enough that the work checks often whether it may continue. */
const pagesAtOnce = 128;

/** Pages that are embedded under one claim into one generation of a dataset's index. */
export interface Embedding extends ChosenIndex {
  readonly dataset: Pick<Dataset, "id" | "workspaceId">;
  /** The document as a PDF, a local file. */
  readonly file: string;
  readonly plan: PagePlan;
  readonly held: Pick<HeldLease<{ readonly token: string }>, "check" | "lost" | "lease">;
  readonly inFlight: InFlight;
  /** Ends the work because the claim is over or the worker is stopping. */
  readonly signal: AbortSignal;
  /** Also interrupts the pages that are being processed, which can end the whole process. */
  readonly abort: AbortSignal;
  /** Waits until the next pages may be processed. */
  turn(): Promise<void>;
  /** Called when a page has been embedded and waits to be written. */
  onPage?(): Promise<void>;
  /**
   * Records the outcomes of pages whose rows are in the index, and the part of the dataset that has their features. Throws
   * `LeaseLost`.
   */
  mark(outcomes: readonly Outcome[], absences: Absences, part: NewPart | undefined): Promise<void>;
}

/**
 * Embeds the pages of a plan. Features and rows are written before the pages are marked; writing them again after a crash
 * replaces them, so no page is missing or duplicated.
 */
export function embedInto(context: JobContext, embedding: Embedding): Promise<void> {
  return context.tracing.span("stage embed", { pack: embedding.pack.id }, (stage) =>
    embedUnder(context, embedding, stage),
  );
}

async function embedUnder(context: JobContext, embedding: Embedding, stage: Span): Promise<void> {
  const { pack, dataset, generation, held, signal } = embedding;
  const { maintenance, meter } = context;
  const put = createBatcher<Outcome>(putLimits, async (outcomes) => {
    await held.check();
    signal.throwIfAborted();
    const to = { dataset, pack, generation, lease: held.lease };
    await stage.span("index pages", { pages: outcomes.length }, () =>
      putPages(context, to, outcomes, (absences, part) => embedding.mark(outcomes, absences, part)),
    );
    maintenance.request();
    countPages(
      meter,
      "embed",
      outcomes.map((outcome) => ("reason" in outcome ? outcome.reason : null)),
    );
  });
  const spans = createPageSpans(stage, "embed page");
  try {
    await embedAll(context, embedding, put.add, spans);
    await put.flush();
    spans.close();
    await embedding.inFlight.clear();
  } catch (cause) {
    await put.idle();
    const { id: datasetId, workspaceId } = dataset;
    if (signal.aborted) await retireStray(context, { datasetId, workspaceId, pack: pack.id, generation });
    throw cause;
  }
}

async function embedAll(
  { metadata, pool, trials }: JobContext,
  { dataset, file, packDir, plan, inFlight, abort, turn, onPage }: Embedding,
  add: (outcome: Outcome) => Promise<void>,
  spans: PageSpans,
): Promise<void> {
  // A failure ends the work after the current pages, not at once: terminating a thread in the middle of a model's run can end
  // the process, and with it the work of other callers.
  let failure: { readonly cause: unknown } | undefined;
  const quietly = async (work: () => Promise<void>): Promise<void> => {
    if (failure !== undefined) return;
    await work().catch((cause: unknown) => (failure = { cause }));
  };
  const on = listenWithSpans<ComputedPage>(spans, {
    start: (pages) => quietly(() => inFlight.start(pages)),
    async page(outcome) {
      inFlight.end(outcome.page);
      await quietly(async () => {
        await add(outcome);
        await onPage?.();
      });
    },
  });
  const withWords = async (pages: readonly number[]) => {
    const words = await metadata.pages.words(dataset.id, pages);
    return pages.map((page) => ({ page, words: words.get(page) ?? "" }));
  };
  for (let from = 0; from < plan.clean.length; from += pagesAtOnce) {
    await turn();
    const pages = await withWords(plan.clean.slice(from, from + pagesAtOnce));
    await pool.embedPages({ file, packDir, pages }, on, abort);
    if (failure !== undefined) throw failure.cause;
  }
  for (const suspect of plan.suspects) {
    await turn();
    for (const page of await withWords([suspect])) {
      await on.page(await trials.embedPage({ file, packDir, ...page }, abort));
    }
    if (failure !== undefined) throw failure.cause;
  }
}

/** Interval of progress reports, short enough to look live. */
const progressMs = 250;

/** Embeds every readable page that has not been embedded, and resumes where an earlier run was interrupted. */
export async function embedPages(run: Run): Promise<void> {
  const { context, dataset, file, held, inFlight, suspects, signal } = run;
  const { metadata, clock } = context;
  const index = await chooseIndex(run);
  const missing = await metadata.pages.unembedded(dataset.id);
  let indexed = run.pageCount - missing.length;
  let embedded = indexed;
  let reportedAt = performance.now();
  await run.progress("embed", embedded);
  await embedInto(context, {
    ...index,
    dataset,
    file,
    plan: planPages(missing, suspects),
    held,
    inFlight,
    signal,
    // A cancelled job ends within two seconds.
    abort: signal,
    turn: async () => signal.throwIfAborted(),
    async onPage() {
      embedded += 1;
      if (performance.now() - reportedAt < progressMs) return;
      reportedAt = performance.now();
      await run.progress("embed", embedded);
    },
    async mark(outcomes, absentFrom, part) {
      const pages = outcomes.flatMap((outcome) => ("spaces" in outcome ? [outcome.page] : []));
      const failures = outcomes.flatMap((outcome) => ("reason" in outcome ? [outcome] : []));
      await held.confirm(metadata.pages.markEmbedded(held.lease, dataset.id, pages, clock(), { absentFrom, part }));
      if (failures.length > 0) {
        await held.confirm(metadata.pages.noteFailures(held.lease, dataset.id, "embed", failures, clock()));
      }
      indexed += outcomes.length;
      await run.progress("index", indexed);
    },
  });
  await held.check();
  await describeDocument(context, { dataset, ...index });
}
