import { type Features, featuresOf, type IndexOf } from "../../../domain/ports/features.ts";
import { storePart } from "../document/put-pages.ts";
import type { JobContext } from "../context.ts";
import type { IndexingRun, OpenIndex } from "./claimed-index.ts";

/** Pages per part, the same as when they are embedded. */
const pagesPerPart = 256;

/** Creates the parts of pages that are in an earlier version's index but in no part. */
export async function keepFeatures(
  context: JobContext,
  { dataset, pack, generation }: OpenIndex,
  { held, signal, turn }: IndexingRun,
): Promise<void> {
  const { metadata } = context;
  const index = { datasetId: dataset.id, workspaceId: dataset.workspaceId, generation };
  const kept = new Set((await metadata.features.parts(index)).flatMap(({ pages }) => pages));
  const embedded = await metadata.pages.embedded(dataset.id);
  const unkept = embedded.filter(({ page }) => !kept.has(page));
  for (let from = 0; from < unkept.length; from += pagesPerPart) {
    await turn();
    signal.throwIfAborted();
    const some = unkept.slice(from, from + pagesPerPart);
    const features = await readRows(context, { index, pack }, new Set(some.map(({ page }) => page)));
    const there = new Map(Array.from(features.rows, ([space, rows]) => [space, new Set(rows.map(({ page }) => page))]));
    // Pages without all of their rows are skipped, because they are incomplete in the earlier index as well.
    const whole = some.filter(({ page, absentFrom }) =>
      pack.spaces.every(({ name }) => absentFrom.includes(name) || there.get(name)?.has(page)),
    );
    if (whole.length === 0) continue;
    const found = featuresOf(features, new Set(whole.map(({ page }) => page)));
    await storePart(context, { index, pack, lease: held.lease }, found, (part) =>
      held.confirm(metadata.indices.markRebuilt(held.lease, [], part)),
    );
  }
}

/** Reads the rows of pages from the earlier index. */
async function readRows(
  { vectors }: Pick<JobContext, "vectors">,
  { index, pack }: { readonly index: IndexOf; readonly pack: OpenIndex["pack"] },
  pages: ReadonlySet<number>,
): Promise<Features> {
  const rows = pack.spaces.map(async (space) => [space.name, await vectors.earlierRows(space, index, pages)] as const);
  return { pages: [...pages], rows: new Map(await Promise.all(rows)) };
}

/** Removes parts from the list whose pages are all in later parts. */
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
