import type { DatasetId } from "../ids.ts";
import type { Metadata } from "../ports/metadata.ts";
import type { RebuildKind, ServedIndex } from "../ports/packs.ts";

/** Indices per query or update. */
const atOnce = 500;

/** Yields the indices that datasets are served from in a pack, by dataset, in batches of some hundred. */
export async function* servedIndices(
  { indices }: Pick<Metadata, "indices">,
  pack: string,
): AsyncGenerator<readonly ServedIndex[]> {
  let after: DatasetId | undefined;
  for (;;) {
    const some = await indices.served(pack, after, atOnce);
    if (some.length > 0) yield some;
    if (some.length < atOnce) return;
    after = some.at(-1)?.datasetId;
  }
}

/** Schedules the indices of all datasets to be filled again by workers. Returns their number. */
export async function rebuildAll(metadata: Pick<Metadata, "indices" | "packs">, how: RebuildKind): Promise<number> {
  let entered = 0;
  for (const { id } of await metadata.packs.list()) {
    for await (const some of servedIndices(metadata, id)) {
      const ids = some.map(({ datasetId }) => datasetId);
      await metadata.indices.rebuild(ids, how);
      entered += ids.length;
    }
  }
  return entered;
}
