import { randomUUID } from "node:crypto";
import { withStoredBlob } from "../../../domain/blobs/stored-blob.ts";
import type { Dataset } from "../../../domain/datasets/dataset.ts";
import {
  type ComputedPage,
  featurePrefix,
  type Features,
  type IndexOf,
  type NewPart,
} from "../../../domain/ports/features.ts";
import type { Absences } from "../../../domain/ports/pages.ts";
import type { PackRanking } from "../../../domain/ports/pack-ranking.ts";
import type { SpaceRef } from "../../../domain/ports/vectors.ts";
import type { JobContext } from "../context.ts";
import type { PageFailure } from "../../../domain/jobs/job.ts";
import type { DatasetId } from "../../../domain/ids.ts";
import type { TableOf } from "../../../domain/ports/index-tables.ts";

/** The outcome of embedding a page. */
export type Outcome = ComputedPage | PageFailure;

interface Destination {
  readonly index: IndexOf;
  readonly pack: PackRanking;
  /** Identifies the claim on the index. */
  readonly lease: { readonly token: string };
}

/**
 * Stores the features of embedded pages and their index rows before `mark` records the pages together with their part. `mark`
 * gets no part if no page has been embedded.
 */
export async function putPages(
  context: Pick<JobContext, "features" | "metadata" | "blobs" | "vectors" | "clock">,
  {
    dataset,
    pack,
    generation,
    lease,
  }: Omit<Destination, "index"> & { dataset: Pick<Dataset, "id" | "workspaceId">; generation: string },
  outcomes: readonly Outcome[],
  mark: (absences: Absences, part: NewPart | undefined) => Promise<void>,
): Promise<void> {
  const pages = outcomes.flatMap((outcome): ComputedPage[] => ("spaces" in outcome ? [outcome] : []));
  if (pages.length === 0) return mark(new Map(), undefined);
  const index = { datasetId: dataset.id, workspaceId: dataset.workspaceId, generation };
  const features = context.features.make(pack.spaces, pages, index);
  await storePart(context, { index, pack, lease }, features, async (part) => {
    const table = await context.vectors.put(pack, features, index);
    await mark(absencesOf(pack.spaces, features), { ...part, table });
  });
}

/**
 * Time in milliseconds after which a part that has not been recorded is removed, longer than it takes to store and record one.
 */
const listedWithinMs = 3_600_000;

/**
 * Stores features, whose rows are not in an index table yet, as an object that `list` must record. Until then the object is on
 * the garbage list, so that a crash leaves nothing behind.
 */
export async function storePart(
  { features: codec, metadata, blobs, clock }: Pick<JobContext, "features" | "metadata" | "blobs" | "clock">,
  { index, pack, lease }: Destination,
  features: Features,
  list: (part: NewPart) => Promise<void>,
): Promise<void> {
  const key = `${featurePrefix(index)}${randomUUID()}.arrow`;
  const bytes = await codec.encode(pack.spaces, features);
  await withStoredBlob({ metadata, clock }, { key, lease, withinMs: listedWithinMs }, async () => {
    const { size, sha256 } = await blobs.put(key, only(bytes));
    const pages = features.pages.toSorted((one, other) => one - other);
    await list({ key, generation: index.generation, pages, bytes: size, sha256, table: "" });
  });
}

async function* only(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** Returns the spaces in which pages have no rows, by page. */
function absencesOf(spaces: readonly SpaceRef[], { pages, rows }: Features): Absences {
  const absences = new Map<number, string[]>();
  for (const { name } of spaces) {
    const there = new Set(rows.get(name)?.map(({ page }) => page));
    for (const page of pages) if (!there.has(page)) absences.set(page, [...(absences.get(page) ?? []), name]);
  }
  return absences;
}

interface WrittenIndex extends TableOf {
  readonly datasetId: DatasetId;
  readonly generation: string;
}

/**
 * Makes rows garbage that were written after their generation had ended, because the clean-up at its end could not see them yet.
 * If the pack has been retired in the meantime, it is retired again, because writing has recreated its tables.
 */
export async function retireStray(
  { metadata, clock }: Pick<JobContext, "metadata" | "clock">,
  { datasetId, workspaceId, pack, generation }: WrittenIndex,
): Promise<void> {
  const current = await metadata.indices.generations([datasetId]);
  if (current.some((index) => index.generation === generation)) return;
  await metadata.garbage.add([{ kind: "vectors", key: datasetId, generation, table: { workspaceId, pack } }], clock());
  await metadata.packs.retryRetirement(pack);
}
