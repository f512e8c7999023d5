import { type Features, featuresOf } from "../../../domain/ports/features.ts";
import { readPart } from "../../../domain/features/read-part.ts";
import type { JobContext } from "../context.ts";
import { collectWords, type DocumentWords } from "../document/describe.ts";
import type { IndexingRun, OpenIndex } from "./claimed-index.ts";

/**
 * Number of a dataset's pages that are written together: 6 MB of features, as several datasets are processed at the same time.
 */
const pagesAtOnce = 512;
/**
 * Maximum number of tables to try: a table may be abandoned while it is filled, but if that always happens, the cause is
 * something else.
 */
const maxTables = 5;

interface RestoredRows {
  /** Pages without features: their parts are lost or damaged, and are removed from the list. */
  readonly lost: readonly number[];
  /** The words of all other pages. */
  readonly words: DocumentWords;
}

/** Makes the rows of a dataset's pages from their features, except rows that are already in the index's table. */
export async function restoreRows(context: JobContext, index: OpenIndex, run: IndexingRun): Promise<RestoredRows> {
  const { metadata } = context;
  const of = { workspaceId: index.dataset.workspaceId, pack: index.pack.id };
  for (let attempt = 1; attempt <= maxTables; attempt++) {
    const before = (await metadata.indexTables.find(of))?.name;
    const restored = await enterParts(context, index, run);
    // If the table is still the same, the rows written earlier are still there.
    const after = (await metadata.indexTables.find(of))?.name;
    if (before === undefined || after === undefined || after === before) return restored;
  }
  throw new Error(`the index of workspace ${of.workspaceId} was given up ${maxTables} times while it was filled`);
}

async function enterParts(
  context: JobContext,
  { dataset, pack, generation }: OpenIndex,
  { signal, turn }: IndexingRun,
): Promise<RestoredRows> {
  const { metadata, clock, log, maintenance } = context;
  const index = { datasetId: dataset.id, workspaceId: dataset.workspaceId, generation };
  const embedded = (await metadata.pages.embedded(dataset.id)).map(({ page }) => page);
  const left = new Set(embedded);
  const words = collectWords(pack.reads);
  let read: { readonly features: Features; readonly key: string }[] = [];
  async function put(): Promise<void> {
    if (read.length === 0) return;
    const name = await context.vectors.put(pack, joined(read.map(({ features }) => features)), index);
    await metadata.features.entered(
      index,
      read.map(({ key }) => key),
      name,
    );
    read = [];
    maintenance.request();
  }
  // Reads the parts from last to first, because the last part that has a page counts.
  for (const part of (await metadata.features.parts(index)).toReversed()) {
    await turn();
    signal.throwIfAborted();
    const found = await readPart(context, pack.spaces, part, index);
    if (found === undefined) {
      const lost = { datasetId: dataset.id, part: part.key };
      log.warn(lost, "features are lost or damaged; their pages are embedded again");
      await metadata.features.remove(index, [part.key], clock());
      continue;
    }
    const features = featuresOf(found, new Set(part.pages.filter((page) => left.has(page))));
    words.add(features);
    for (const page of features.pages) left.delete(page);
    if (part.table !== "") continue;
    read.push({ features, key: part.key });
    if (read.reduce((sum, one) => sum + one.features.pages.length, 0) >= pagesAtOnce) await put();
  }
  await put();
  return { lost: embedded.filter((page) => left.has(page)), words: words.words() };
}

const joined = (some: readonly Features[]): Features => ({
  pages: some.flatMap(({ pages }) => pages),
  rows: new Map(
    Array.from(some[0]?.rows.keys() ?? [], (space) => [space, some.flatMap(({ rows }) => rows.get(space) ?? [])]),
  ),
});

/** Removes from the list the parts whose pages are all in later parts. */
export async function dropSuperseded(
  { metadata, clock }: Pick<JobContext, "metadata" | "clock">,
  { dataset, generation }: Pick<OpenIndex, "dataset" | "generation">,
): Promise<void> {
  const index = { datasetId: dataset.id, generation };
  const later = new Set<number>();
  const superseded: string[] = [];
  for (const { key, pages } of (await metadata.features.parts(index)).toReversed()) {
    if (pages.every((page) => later.has(page))) superseded.push(key);
    for (const page of pages) later.add(page);
  }
  if (superseded.length > 0) await metadata.features.remove(index, superseded, clock());
}
