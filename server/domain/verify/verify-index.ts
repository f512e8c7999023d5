import type { DatasetId } from "../ids.ts";
import { compareIndex } from "../index/compare.ts";
import type { Metadata } from "../ports/metadata.ts";
import type { Finding } from "./finding.ts";
import type { VerifyContext, VerifyOptions } from "./context.ts";

/**
 * Checks that every embedded page has its rows, unless workers already know that they have to make them, and every
 * row its page.
 */
export async function* verifyIndex(
  { metadata, vectors, packs, clock }: VerifyContext,
  { datasetId, signal }: VerifyOptions,
): AsyncGenerator<Finding> {
  const only = datasetId && (await metadata.datasets.getUnscoped(datasetId, clock()));
  for (const { id } of await metadata.packs.list()) {
    const tables = datasetId === undefined ? await metadata.indexTables.ofPack(id, Number.MAX_SAFE_INTEGER) : [];
    for (const table of tables) {
      signal.throwIfAborted();
      const problem = await vectors.verify(table);
      if (problem !== undefined) yield { kind: "index table", workspaceId: table.workspaceId, pack: id, problem };
    }
    for (const space of (await packs.find(id))?.spaces ?? []) {
      for await (const difference of compareIndex({ metadata, vectors }, space, only)) {
        signal.throwIfAborted();
        const { datasetId: of } = difference;
        if (difference.kind === "missing") {
          if (!(await isEntered(metadata, of)))
            yield { kind: "missing rows", datasetId: of, space: space.name, pages: difference.pages };
        } else yield { ...difference, kind: "stray rows", space: space.name };
      }
    }
  }
}

/** Whether workers are scheduled to make the missing rows of the dataset. */
async function isEntered({ datasets, indices }: Metadata, datasetId: DatasetId): Promise<boolean> {
  const dataset = await datasets.getUnscoped(datasetId, 0);
  if (dataset === undefined) return false;
  const scope = { workspaceId: dataset.workspaceId, datasetIds: [datasetId] };
  return (await indices.incomplete(scope, 1)).length > 0;
}
