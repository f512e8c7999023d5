import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const folder = process.env["DRS_CORPUS"] ?? fileURLToPath(new URL("../../../shared/corpus", import.meta.url));

/** Tests that need real documents run where they are at hand: `describe.skipIf(!hasCorpus)`, with `corpusReason` in the name. */
export const hasCorpus = existsSync(folder);
export const corpusReason = hasCorpus ? "" : " (skipped: no folder of real documents; name one with DRS_CORPUS)";

export function corpusFile(name: string): string {
  return `${folder}/${name}`;
}
