import type { PackRanking } from "../../../domain/ports/pack-ranking.ts";
import { PackAbsent } from "../../errors.ts";
import type { JobContext, Run } from "../context.ts";

/** The model pack that pages are embedded with. */
interface ChosenPack {
  readonly pack: PackRanking;
  readonly packDir: string;
}

/** The pack, and the generation of the index for the pages. */
export interface ChosenIndex extends ChosenPack {
  readonly generation: string;
}

/**
 * Chooses the index for a job: the one that already has some of the dataset's pages, otherwise a new one of the pack in use.
 * If the old index's pack is no longer on this machine, the job starts over with a new one. Throws `PackAbsent`.
 */
export async function chooseIndex(run: Run): Promise<ChosenIndex> {
  const { context, dataset } = run;
  const { metadata } = context;
  const served = await metadata.packs.ofDataset(dataset.id);
  const isBegun = served !== undefined && (await hasEmbedded(run));
  const chosen = isBegun ? await openIndex(run, false) : undefined;
  if (chosen !== undefined) return chosen;
  const inUse = (await metadata.packs.list()).find((pack) => pack.isInUse);
  if (inUse !== undefined && (await openPack(context, inUse.id)) === undefined) throw new PackAbsent(inUse.id);
  const fresh = await openIndex(run, true);
  if (fresh === undefined) throw new PackAbsent(inUse?.id ?? "in use");
  return fresh;
}

/** Returns undefined if the index's pack is not on this machine. */
async function openIndex({ context, dataset, held }: Run, afresh: boolean): Promise<ChosenIndex | undefined> {
  const { metadata, clock } = context;
  // The marks are cleared first, because those of the old index must not count for the new one.
  if (afresh) await held.confirm(metadata.pages.clearEmbedded(held.lease, dataset.id));
  const index = await metadata.indices.begin(held.lease, dataset, afresh, clock());
  await held.confirm(Promise.resolve(index !== undefined));
  if (index === undefined) return undefined;
  const pack = await openPack(context, index.pack);
  return pack && { ...pack, generation: index.generation };
}

async function hasEmbedded({ context, dataset }: Run): Promise<boolean> {
  const { metadata } = context;
  const [readable, missing] = await Promise.all([
    metadata.pages.readable(dataset.id),
    metadata.pages.unembedded(dataset.id),
  ]);
  return missing.length < readable.length;
}

/** Returns undefined if the pack is not on this machine. */
export async function openPack({ packs, packFolders }: JobContext, id: string): Promise<ChosenPack | undefined> {
  const [pack, packDir] = await Promise.all([packs.find(id), packFolders.find(id)]);
  return pack === undefined || packDir === undefined ? undefined : { pack, packDir };
}
