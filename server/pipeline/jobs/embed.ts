import type { Dataset } from "../../domain/datasets/dataset.ts";
import type { PageFailure } from "../../domain/jobs/job.ts";
import type { DenseRow, LexicalRow, SpaceRef, VectorStore } from "../../domain/ports/vectors.ts";
import type { PageInSpace } from "../../embedding/pack.ts";
import { choosePack } from "./chosen-pack.ts";
import { crashReason, planPages } from "./crashes.ts";
import { createBatcher } from "./flush.ts";
import type { Run } from "./running.ts";

/** Every append to the index is a version and a fragment, so they are few; this is about 5 MB of vectors. */
export const putLimits = { count: 256, ms: 5_000 };

/** What became of a page. */
export type Outcome = { readonly page: number; readonly spaces: readonly PageInSpace[] } | PageFailure;

/**
 * Embeds every readable page that has not been embedded. Vectors are written before the mark that says so; writing
 * them again after a crash replaces them, so no page is missing or doubled.
 */
export async function embedPages(run: Run): Promise<void> {
  const { context, dataset, file, held, inFlight, crashes, signal } = run;
  const { metadata, pool, vectors, clock } = context;
  const readable = await metadata.pages.readable(dataset.id);
  const before = await metadata.pages.unembedded(dataset.id);
  const { pack, packDir } = await choosePack(run, before.length === readable.length);
  const missing = await metadata.pages.unembedded(dataset.id);
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
    await Promise.all(pack.spaces.map((space) => putSpace(vectors, dataset, space, embedded)));
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
    const task = { file, packDir, pages: pages.map((page) => ({ page, words: words.get(page) ?? "" })) };
    await pool.embedPages(task, on, signal);
  }
  await put.flush();
}

const progressMs = 250;
/** So many pages' words are held in memory. */
const wordsAtOnce = 512;

/** Writes what pages became in one space. */
export async function putSpace(
  vectors: VectorStore,
  dataset: Pick<Dataset, "id" | "workspaceId">,
  space: SpaceRef,
  pages: readonly { page: number; spaces: readonly PageInSpace[] }[],
): Promise<void> {
  const { id: datasetId, workspaceId } = dataset;
  const dense: DenseRow[] = [];
  const lexical: LexicalRow[] = [];
  for (const { page, spaces } of pages) {
    const found = spaces.find((candidate) => candidate.space === space.name);
    if (found?.kind === "dense" && found.vectors.length > 0) {
      const { vectors, pooled } = found;
      dense.push({ workspaceId, datasetId, generation: "", page, vectors, ...(pooled && { pooled }) });
    } else if (found?.kind === "lexical") {
      lexical.push({ workspaceId, datasetId, generation: "", page, words: found.words });
    }
  }
  if (space.kind === "dense" && dense.length > 0) await vectors.putDense(space, dense);
  if (space.kind === "lexical" && lexical.length > 0) await vectors.putLexical(space, lexical);
}

/** In pieces of at most `size`. */
export function groups<Element>(elements: readonly Element[], size: number): Element[][] {
  return Array.from({ length: Math.ceil(elements.length / size) }, (_, index) =>
    elements.slice(index * size, (index + 1) * size),
  );
}
