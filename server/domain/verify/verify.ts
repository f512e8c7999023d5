import type { VerifyContext, VerifyOptions } from "./context.ts";
import type { Finding, Verdict } from "./finding.ts";
import { verifyBlobs, verifyDocuments } from "./verify-bytes.ts";
import { verifyIndex } from "./verify-index.ts";

/**
 * Compares rows, bytes and vectors: every row must have its bytes and vectors, every byte and vector its row. May
 * run beside a server. With `repair`, everything that can be is repaired: what belongs to nothing becomes garbage;
 * the workers make missing converted PDFs, features and rows of the index again.
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
