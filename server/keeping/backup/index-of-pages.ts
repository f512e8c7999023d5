import type { Clock } from "../../domain/clock.ts";
import type { DatasetId, OrganisationId, WorkspaceId } from "../../domain/ids.ts";
import { compareIndex } from "../../domain/index/compare.ts";
import type { Metadata } from "../../domain/ports/metadata.ts";
import type { PackRanking } from "../../domain/ports/pack-ranking.ts";
import type { VectorStore } from "../../domain/ports/vectors.ts";
import type { LiveRows } from "../../storage/metadata/live-rows.ts";
import { deleteMeanwhile } from "./rows.ts";

interface Index {
  /** The rows and vectors of the snapshot, which may be changed. */
  readonly metadata: Metadata;
  readonly vectors: VectorStore;
  readonly packs: { find(id: string): Promise<PackRanking | undefined> };
  readonly live: Pick<LiveRows, "hasDataset">;
  readonly workspaces: ReadonlyMap<WorkspaceId, OrganisationId>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/**
 * Lets the index agree with the rows of a snapshot, which were taken some moments earlier: rows of the index that nothing
 * of the snapshot knows are removed from it, and pages that it lacks are embedded again by the server that it is restored
 * for. Of how many datasets that is.
 */
export async function agree(index: Index): Promise<number> {
  const { metadata, vectors, packs, live, signal } = index;
  const incomplete = new Set<DatasetId>();
  for (const { id } of await metadata.packs.list()) {
    for (const space of (await packs.find(id))?.spaces ?? []) {
      for await (const difference of compareIndex({ metadata, vectors }, space)) {
        signal.throwIfAborted();
        const { datasetId } = difference;
        if (difference.kind === "stray") {
          await vectors.removeDataset(datasetId, { pack: id, generation: difference.generation });
        } else if (live.hasDataset(datasetId)) {
          incomplete.add(datasetId);
        } else {
          const dataset = await metadata.datasets.getUnscoped(datasetId, 0);
          if (dataset !== undefined) await deleteMeanwhile(metadata, dataset, index);
          await vectors.removeDataset(datasetId);
        }
      }
    }
  }
  await metadata.indices.rebuild([...incomplete], "missing");
  return incomplete.size;
}
