import { unprocessable, unsupported } from "../../domain/errors.ts";
import { checkedBytes, damaged, openArchiveFile, parsedLines } from "./folder.ts";
import {
  datasetSchema,
  formatName,
  formatVersion,
  type Manifest,
  manifestSchema,
  pathOf,
  problemOf,
} from "./format.ts";
import { importDataset } from "./import-dataset.ts";
import type { ImportOptions, ImportProgress } from "./import-options.ts";

/**
 * Imports the datasets of an archive into a workspace, one after another. A server may run at the same time. Datasets
 * that exist already are skipped, so that the same call resumes an interrupted import. The archive is not trusted:
 * throws `unprocessable` for anything that does not follow the format, `conflict` if ids are taken, `too_large` if the
 * plan has no room.
 */
export async function importArchive(options: ImportOptions): Promise<ImportProgress> {
  const { dir, signal, onProgress, metadata } = options;
  const { id, list } = await readManifest(dir);
  // Read the list to the end before anything is written, so that its checksum is verified first.
  for await (const _ of checkedBytes(dir, pathOf.datasets, list)) signal.throwIfAborted();
  const progress = { datasets: 0, present: 0, unfinished: 0, pages: 0, bytes: 0 };
  let line = 0;
  for await (const value of parsedLines(pathOf.datasets, checkedBytes(dir, pathOf.datasets, list))) {
    signal.throwIfAborted();
    const parsed = datasetSchema.safeParse(value);
    line += 1;
    if (!parsed.success)
      throw damaged(pathOf.datasets, `has a line that is not a dataset (line ${line}, ${problemOf(parsed.error)})`);
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

/** Number of bytes of the manifest that are read; every valid manifest is smaller. */
const maxBytes = 65_536;

/**
 * Throws `unprocessable` if the folder has no complete export, `unsupported` if its format has another version.
 */
async function readManifest(dir: string): Promise<Manifest> {
  const handle = await openArchiveFile(dir, pathOf.manifest).catch(() => {
    throw unprocessable(`${dir} contains no finished export: it has no ${pathOf.manifest}`);
  });
  try {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(maxBytes), 0, maxBytes);
    const value: unknown = JSON.parse(buffer.toString("utf8", 0, bytesRead));
    const version: unknown = Reflect.get(Object(value), "version");
    if (Reflect.get(Object(value), "format") === formatName && typeof version === "number" && version !== formatVersion)
      throw unsupported(
        `the export in ${dir} has version ${version} of its format, and this drs reads version ${formatVersion}; ` +
          (version > formatVersion ? "import it with a newer drs" : "export the workspace again with a newer drs"),
      );
    return manifestSchema.parse(value);
  } catch (cause) {
    if (cause instanceof Error && cause.name === "DomainError") throw cause;
    throw unprocessable(`${pathOf.manifest} in ${dir} is not the manifest of an export`);
  } finally {
    await handle.close();
  }
}
