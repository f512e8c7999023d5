import type { PageFailure } from "../../domain/jobs/job.ts";
import type { DenseRow, LexicalRow, SpaceRef } from "../../domain/ports/vectors.ts";
import type { PageInSpace } from "../../embedding/pack.ts";
import { crashReason, planPages } from "./crashes.ts";
import { createBatcher } from "./flush.ts";
import type { Run } from "./running.ts";

/** Every append to the index is a version and a fragment, so they are few; this is about 5 MB of vectors. */
const putLimits = { count: 256, ms: 5_000 };

type Outcome = { readonly page: number; readonly spaces: readonly PageInSpace[] } | PageFailure;

/**
 * Embeds every readable page that has not been embedded. Vectors are written before the mark that says so; writing
 * them again after a crash replaces them, so no page is missing or doubled.
 */
export async function embedPages(run: Run): Promise<void> {
  const { context, dataset, file, held, inFlight, crashes, signal } = run;
  const { metadata, pool, vectors, clock } = context;
  const missing = await metadata.pages.unembedded(dataset.id);
  const readable = await metadata.pages.readable(dataset.id);
  if (missing.length === readable.length) {
    // What a cancelled job left behind must not be removed later, together with what is written now.
    await vectors.removeDataset(dataset.id);
    await metadata.garbage.done({ kind: "vectors", key: dataset.id });
  }
  const plan = planPages(missing, crashes);
  let done = run.pageCount - missing.length;

  const put = createBatcher<Outcome>(putLimits, async (outcomes) => {
    const failures = outcomes.flatMap((outcome) => ("reason" in outcome ? [outcome] : []));
    const embedded = outcomes.flatMap((outcome) => ("spaces" in outcome ? [outcome] : []));
    await held.check();
    signal.throwIfAborted();
    await Promise.all(context.pack.spaces.map((space) => putSpace(run, space, embedded)));
    context.maintenance.request();
    const pages = embedded.map(({ page }) => page);
    await held.confirm(metadata.pages.markEmbedded(held.lease, dataset.id, pages, clock()));
    if (failures.length > 0) {
      await held.confirm(metadata.pages.noteFailures(held.lease, dataset.id, "embed", failures, clock()));
    }
    done += outcomes.length;
    await run.progress("index", done);
  });

  await run.progress("embed", done);
  for (const page of plan.fatal) await put.add({ page, reason: crashReason });
  let embedded = done;
  let told = performance.now();
  const on = {
    start: (pages: readonly number[]) => inFlight.start(pages),
    async page(outcome: Outcome) {
      inFlight.end(outcome.page);
      embedded += 1;
      await put.add(outcome);
      if (performance.now() - told < progressMs) return;
      told = performance.now();
      await run.progress("embed", embedded);
    },
  };
  for (const pages of [...groups(plan.clean, wordsAtOnce), ...plan.suspects.map((page) => [page])]) {
    const words = await metadata.pages.words(dataset.id, pages);
    const task = { file, pages: pages.map((page) => ({ page, words: words.get(page) ?? "" })) };
    await pool.embedPages(task, on, signal);
  }
  await put.flush();
}

const progressMs = 250;
/** So many pages' words are held in memory. */
const wordsAtOnce = 512;

async function putSpace(
  { context, dataset }: Run,
  space: SpaceRef,
  pages: readonly { page: number; spaces: readonly PageInSpace[] }[],
): Promise<void> {
  const { id: datasetId, workspaceId } = dataset;
  const dense: DenseRow[] = [];
  const lexical: LexicalRow[] = [];
  for (const { page, spaces } of pages) {
    const found = spaces.find((candidate) => candidate.space === space.name);
    if (found?.kind === "dense" && found.vectors.length > 0) {
      dense.push({ workspaceId, datasetId, page, vectors: found.vectors });
    } else if (found?.kind === "lexical") {
      lexical.push({ workspaceId, datasetId, page, words: found.words });
    }
  }
  if (space.kind === "dense" && dense.length > 0) await context.vectors.putDense(space, dense);
  if (space.kind === "lexical" && lexical.length > 0) await context.vectors.putLexical(space, lexical);
}

function groups<Element>(elements: readonly Element[], size: number): Element[][] {
  return Array.from({ length: Math.ceil(elements.length / size) }, (_, index) =>
    elements.slice(index * size, (index + 1) * size),
  );
}
