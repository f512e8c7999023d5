import type { DatasetId } from "../../../domain/ids.ts";
import type { JobContext } from "../context.ts";

/** Makes rows garbage that were written after the generation had ended: what ended it could not see them yet. */
export async function retireStray(
  { metadata, clock }: Pick<JobContext, "metadata" | "clock">,
  datasetId: DatasetId,
  generation: string,
): Promise<void> {
  const current = await metadata.indices.generations([datasetId]);
  if (current.some((index) => index.generation === generation)) return;
  await metadata.garbage.add([{ kind: "vectors", key: datasetId, generation }], clock());
}
