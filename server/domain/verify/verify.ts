import type { DatasetId } from "../ids.ts";
import { compareIndex } from "../index/compare.ts";
import type { Metadata } from "../ports/metadata.ts";
import type { Finding, Verdict, VerifyContext, VerifyOptions } from "./finding.ts";
import { verifyBlobs, verifyDocuments } from "./verify-bytes.ts";

/**
 * Compares rows, bytes and vectors: every row must have its bytes and vectors, every byte and vector its row. May run
 * beside a server. With `repair`, it repairs everything that it can: bytes and vectors that belong to no row become
 * garbage, and the workers make missing converted PDFs, features and rows of the index again.
 */
export async function* verify(context: VerifyContext, options: VerifyOptions): AsyncGenerator<Verdict> {
  const { indexOnly = false, repair, onStage } = options;
  const findings = async function* (): AsyncGenerator<Finding> {
    if (!indexOnly) {
      onStage?.("documents");
      yield* verifyDocuments(context, options);
      onStage?.("files");
      yield* verifyBlobs(context, options);
    }
    onStage?.("index");
    yield* verifyIndex(context, options);
  };
  for await (const finding of findings()) {
    yield { finding, remedy: await remedyFor(context, finding, repair) };
  }
}

async function remedyFor(
  { metadata, clock }: VerifyContext,
  finding: Finding,
  repair: boolean,
): Promise<Verdict["remedy"]> {
  if (finding.kind === "original") return "none";
  if (finding.kind === "index table") return "repaired";
  if (!repair) return "found";
  switch (finding.kind) {
    case "converted":
      return (await metadata.jobs.reconvert(finding.datasetId, clock())) ? "repaired" : "none";
    case "features": {
      const { datasetId, generation, key } = finding;
      await metadata.features.remove({ datasetId, generation }, [key], clock());
      await metadata.indices.rebuild([datasetId], "missing");
      return "repaired";
    }
    case "stray blob":
      await metadata.garbage.add([{ kind: "blob", key: finding.key }], clock());
      return "repaired";
    case "missing rows":
      await metadata.indices.rebuild([finding.datasetId], "missing");
      return "repaired";
    case "stray rows":
      await metadata.garbage.add(
        [{ kind: "vectors", key: finding.datasetId, generation: finding.generation, table: finding.table }],
        clock(),
      );
      return "repaired";
  }
}

/**
 * Checks that every embedded page has its rows, unless workers are already scheduled to make them, and every row its
 * page.
 */
async function* verifyIndex(
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
