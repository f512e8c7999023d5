import type { DatasetId } from "../../../domain/ids.ts";
import type { TableOf } from "../../../domain/ports/index-tables.ts";
import type { JobContext } from "../context.ts";

interface WrittenIndex extends TableOf {
  readonly datasetId: DatasetId;
  readonly generation: string;
}

/**
 * Makes rows garbage that were written after their generation had ended, because the end could not see them yet. A pack that
 * was retired meanwhile is retired again, because writing has recreated its tables.
 */
export async function retireStray(
  { metadata, clock }: Pick<JobContext, "metadata" | "clock">,
  { datasetId, workspaceId, pack, generation }: WrittenIndex,
): Promise<void> {
  const current = await metadata.indices.generations([datasetId]);
  if (current.some((index) => index.generation === generation)) return;
  await metadata.garbage.add([{ kind: "vectors", key: datasetId, generation, table: { workspaceId, pack } }], clock());
  await metadata.packs.leaveAgain(pack);
}
