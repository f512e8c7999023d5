import { compareIndex } from "../index/compare.ts";
import type { Finding } from "./finding.ts";
import type { VerifyContext, VerifyOptions } from "./context.ts";

/** Whether every embedded page has its rows, and every row its page. */
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
        if (difference.kind === "missing") yield { kind: "missing rows", ...found, pages: difference.pages };
        else yield { kind: "stray rows", ...found, generation: difference.generation, rows: difference.rows };
      }
    }
  }
}
