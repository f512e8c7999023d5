import { checkedBytes, damaged, parsedLines } from "./folder.ts";
import { datasetSchema, pathOf, problemOf } from "./format.ts";
import { importDataset } from "./import-dataset.ts";
import type { ImportOptions, ImportProgress } from "./import-options.ts";
import { readManifest } from "./read-manifest.ts";

/**
 * Imports the datasets of an archive into a workspace, one after another; beside a server that is at work. Those that are
 * there already are passed over, so that an interrupted import is gone on with by the same call. Nothing of the archive is
 * trusted: throws `unprocessable` on what is not as its format says, `conflict` where ids are taken, `too_large` where
 * the plan has no room.
 */
export async function importArchive(options: ImportOptions): Promise<ImportProgress> {
  const { dir, signal, onProgress, metadata } = options;
  const { id, version, list } = await readManifest(dir);
  // Read to its end before anything is written: what it says is then known to be what was exported.
  for await (const _ of checkedBytes(dir, pathOf.datasets, list)) signal.throwIfAborted();
  const progress = { version, datasets: 0, present: 0, unfinished: 0, pages: 0, bytes: 0 };
  let line = 0;
  for await (const value of parsedLines(pathOf.datasets, checkedBytes(dir, pathOf.datasets, list))) {
    signal.throwIfAborted();
    const parsed = datasetSchema.safeParse(value);
    line += 1;
    if (!parsed.success)
      throw damaged(pathOf.datasets, `has a line that is no dataset (line ${line}, ${problemOf(parsed.error)})`);
    const outcome = await importDataset(options, id, parsed.data);
    progress.datasets += 1;
    if (outcome === "present") progress.present += 1;
    if (outcome === "unfinished") progress.unfinished += 1;
    progress.pages += parsed.data.pages.count;
    progress.bytes += parsed.data.original.size;
    onProgress({ ...progress });
  }
  if (progress.unfinished > 0) metadata.announceWork();
  return progress;
}
