import type { DatasetId } from "../../../domain/ids.ts";
import type { JobContext } from "../context.ts";

interface Written {
  readonly datasetId: DatasetId;
  readonly pack: string;
  readonly generation: string;
}

/**
 * Makes rows garbage that were written after the generation had ended: what ended it could not see them yet. A pack that has left
 * meanwhile leaves again, since writing has made its tables anew.
 */
export async function retireStray(
  { metadata, clock }: Pick<JobContext, "metadata" | "clock">,
  { datasetId, pack, generation }: Written,
): Promise<void> {
  const current = await metadata.indices.generations([datasetId]);
  if (current.some((index) => index.generation === generation)) return;
  await metadata.garbage.add([{ kind: "vectors", key: datasetId, generation }], clock());
  await metadata.packs.leaveAgain(pack);
}
