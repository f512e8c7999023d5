import type { DatasetId } from "../ids.ts";
import { compareIndex } from "../index/compare.ts";
import type { Metadata } from "../ports/metadata.ts";
import type { Finding } from "./finding.ts";
import type { VerifyContext, VerifyOptions } from "./context.ts";

/** Whether every embedded page has its rows, unless workers know that they are to make them, and every row its page. */
export async function* verifyIndex(
  { metadata, vectors, packs }: VerifyContext,
  { datasetId, signal }: VerifyOptions,
): AsyncGenerator<Finding> {
  if (datasetId === undefined) {
    for (const damage of await vectors.verify("rows")) yield { kind: "index damage", damage };
  }
  for (const { id } of await metadata.packs.list()) {
    for (const space of (await packs.find(id))?.spaces ?? []) {
      for await (const difference of compareIndex({ metadata, vectors }, space, datasetId)) {
        signal.throwIfAborted();
        const found = { space: space.name, datasetId: difference.datasetId };
        if (difference.kind === "missing") {
          if (!(await isEntered(metadata, difference.datasetId)))
            yield { kind: "missing rows", ...found, pages: difference.pages };
        } else yield { kind: "stray rows", ...found, generation: difference.generation, rows: difference.rows };
      }
    }
  }
}

/** Whether workers are to make the missing rows of the dataset. */
async function isEntered({ datasets, indices }: Metadata, datasetId: DatasetId): Promise<boolean> {
  const dataset = await datasets.getUnscoped(datasetId, 0);
  if (dataset === undefined) return false;
  const scope = { workspaceId: dataset.workspaceId, datasetIds: [datasetId], packs: [] };
  return (await indices.incomplete(scope, 1)).length > 0;
}
