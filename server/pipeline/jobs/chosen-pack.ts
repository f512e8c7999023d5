import type { PackInUse } from "../../domain/ports/pack.ts";
import type { JobContext } from "./context.ts";
import type { Run } from "./running.ts";

/** The model pack that pages are embedded with. */
export interface ChosenPack {
  readonly pack: PackInUse;
  readonly packDir: string;
}

/**
 * The pack for a job: the one in use when the first page of the dataset was embedded. If that is no longer on this
 * machine, the job starts over with the one in use now.
 */
export async function choosePack(run: Run, afresh: boolean): Promise<ChosenPack> {
  const { context, dataset, held } = run;
  const id = await context.metadata.indices.begin(held.lease, dataset, afresh);
  await held.confirm(Promise.resolve(id !== undefined));
  const chosen = id === undefined ? undefined : await openPack(context, id);
  if (chosen !== undefined) return chosen;
  if (afresh) throw new Error(`the model pack ${id} is in use, but not on this machine`);
  await context.metadata.pages.clearEmbedded(dataset.id);
  return choosePack(run, true);
}

/** Undefined: it is not on this machine. */
export async function openPack({ packs, packFolders }: JobContext, id: string): Promise<ChosenPack | undefined> {
  const [pack, packDir] = await Promise.all([packs.find(id), packFolders.find(id)]);
  return pack === undefined || packDir === undefined ? undefined : { pack, packDir };
}
