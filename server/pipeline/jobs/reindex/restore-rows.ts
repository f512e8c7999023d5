import { type FeaturePart, type Features, featuresOf } from "../../../domain/ports/features.ts";
import { readPart } from "../../../domain/features/read-part.ts";
import type { JobContext } from "../context.ts";
import type { IndexingRun, OpenIndex } from "./claimed-index.ts";

/** Pages that are put together: a table gets as few versions as by one part, in some 20 MB. */
const pagesAtOnce = 2_000;
/** Tables may be given up while they are filled; one that always is has another defect. */
const maxTables = 5;

/**
 * Makes the rows of a dataset's pages out of their features, but for those that are in the table of the index. Gives the pages of
 * which there are none: their parts were never kept, or are lost or damaged, and then are taken off the list.
 */
export async function restoreRows(context: JobContext, index: OpenIndex, run: IndexingRun): Promise<readonly number[]> {
  const { metadata } = context;
  const of = { workspaceId: index.dataset.workspaceId, pack: index.pack.id };
  for (let attempt = 1; attempt <= maxTables; attempt++) {
    const before = (await metadata.indexTables.find(of))?.name;
    const lost = await enterParts(context, index, run);
    // What was in the table that was there is in the one that is.
    const after = (await metadata.indexTables.find(of))?.name;
    if (before === undefined || after === undefined || after === before) return lost;
  }
  throw new Error(`the index of workspace ${of.workspaceId} was given up ${maxTables} times while it was filled`);
}

/** A part, and those of its pages that no later one has. */
interface Counting {
  readonly part: FeaturePart;
  readonly pages: ReadonlySet<number>;
}

async function enterParts(
  context: JobContext,
  { dataset, pack, generation }: OpenIndex,
  { signal, turn }: IndexingRun,
): Promise<readonly number[]> {
  const { metadata, clock, log, maintenance } = context;
  const index = { datasetId: dataset.id, workspaceId: dataset.workspaceId, generation };
  const embedded = (await metadata.pages.embedded(dataset.id)).map(({ page }) => page);
  const left = new Set(embedded);
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
  for (const { part, pages } of counting(await metadata.features.parts(index), left)) {
    if (part.table !== "") {
      for (const page of pages) left.delete(page);
      continue;
    }
    await turn();
    signal.throwIfAborted();
    const features = await readPart(context, pack.spaces, part, index);
    if (features === undefined) {
      const lost = { datasetId: dataset.id, part: part.key };
      log.warn(lost, "features are lost or damaged; their pages are embedded again");
      await metadata.features.remove(index, [part.key], clock());
      continue;
    }
    read.push({ features: featuresOf(features, pages), key: part.key });
    for (const page of pages) left.delete(page);
    if (read.reduce((sum, one) => sum + one.features.pages.length, 0) >= pagesAtOnce) await put();
  }
  await put();
  return embedded.filter((page) => left.has(page));
}

/** The parts, the last one first; of a page that several have, the last one counts. Pages are taken out of `left` by the caller. */
function* counting(parts: readonly FeaturePart[], left: ReadonlySet<number>): Generator<Counting> {
  for (const part of parts.toReversed()) yield { part, pages: new Set(part.pages.filter((page) => left.has(page))) };
}

const joined = (some: readonly Features[]): Features => ({
  pages: some.flatMap(({ pages }) => pages),
  rows: new Map(
    Array.from(some[0]?.rows.keys() ?? [], (space) => [space, some.flatMap(({ rows }) => rows.get(space) ?? [])]),
  ),
});
