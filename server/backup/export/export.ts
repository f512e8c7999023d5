import { randomUUID } from "node:crypto";
import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../../domain/clock.ts";
import { convertedKey, type Dataset, originalKey, publicId } from "../../domain/datasets/dataset.ts";
import { invalid } from "../../domain/errors.ts";
import type { BlobStore, StoredBlob } from "../../domain/ports/blobs.ts";
import type { FeaturePart, FeaturesOf, FeatureStore } from "../../domain/ports/features.ts";
import type { Metadata } from "../../domain/ports/metadata.ts";
import type { StoredPage } from "../../domain/ports/pages.ts";
import type { Workspace } from "../../domain/workspaces/workspace.ts";
import { fileMode, folderMode } from "../../storage/private-folder.ts";
import { sha256OfFile } from "../files.ts";
import { ifThere } from "../../storage/error-codes.ts";
import { writeArchiveFile } from "./folder.ts";
import { type ArchivedDataset, type ArchivedPage, formatName, formatVersion, type Manifest, pathOf } from "./format.ts";

export interface ExportProgress {
  readonly datasets: number;
  readonly pages: number;
  readonly bytes: number;
}

export interface ExportOptions {
  readonly metadata: Metadata;
  readonly blobs: BlobStore;
  readonly workspace: Workspace;
  /** Whether to export the features of pages, so that they need not be embedded again. */
  readonly withFeatures: boolean;
  /** An empty or new folder, or one that an interrupted export has begun to fill. */
  readonly dir: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: ExportProgress) => void;
}

/** Datasets per query. */
const atOnce = 100;
const pagesPerRead = 200;

/** Name of the file that marks an unfinished export; it is removed after the manifest is written. */
const unfinishedName = "unfinished-export";

/**
 * Exports the datasets of a workspace into a folder, in the format of docs/reference/export-format.md. A server may run
 * at the same time. Datasets that are deleted during the export are left out, and so are documents that have not been
 * fetched yet. The manifest is written last: a folder without one is not an export.
 */
export async function exportWorkspace(options: ExportOptions): Promise<Manifest> {
  const { dir, workspace, clock, signal, onProgress } = options;
  await begin(dir, workspace);
  const progress = { datasets: 0, pages: 0, bytes: 0 };
  const exported = new Set<Dataset["id"]>();
  const lines = async function* (): AsyncGenerator<Uint8Array> {
    for await (const dataset of datasetsIn(options)) {
      signal.throwIfAborted();
      // Skip a new version that has replaced a dataset exported earlier in this run.
      if (exported.has(publicId(dataset))) continue;
      const archived = await exportDataset(options, dataset);
      if (archived === undefined) continue;
      exported.add(publicId(dataset));
      progress.datasets += 1;
      progress.pages += archived.pages.count;
      for (const file of [archived.original, archived.converted, archived.pages, ...archived.features])
        progress.bytes += file?.size ?? 0;
      onProgress({ ...progress });
      yield Buffer.from(`${JSON.stringify(archived)}\n`);
    }
  };
  const listed = await writeArchiveFile(dir, pathOf.datasets, lines(), signal);
  const manifest: Manifest = {
    format: formatName,
    version: formatVersion,
    id: randomUUID(),
    createdAt: clock(),
    workspace: { id: workspace.id, name: workspace.name },
    datasets: progress.datasets,
    pages: progress.pages,
    bytes: progress.bytes + listed.size,
    list: listed,
  };
  const text = Buffer.from(`${JSON.stringify(manifest, undefined, 2)}\n`);
  await writeArchiveFile(dir, pathOf.manifest, only(text), signal);
  await rm(join(dir, unfinishedName));
  return manifest;
}

async function* only(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

async function begin(dir: string, { id }: Workspace): Promise<void> {
  await mkdir(dir, { recursive: true, mode: folderMode });
  const names = await readdir(dir);
  if (names.length > 0 && !names.includes(unfinishedName))
    throw invalid(`the folder ${dir} is not empty; name an empty one, or one that is not there yet`);
  await writeFile(join(dir, unfinishedName), `${id}\n`, { mode: fileMode });
}

async function* datasetsIn({ metadata, workspace, clock }: ExportOptions): AsyncGenerator<Dataset> {
  let after: Dataset["id"] | undefined;
  for (;;) {
    const some = await metadata.datasets.all(after, atOnce);
    const ids = some.flatMap(({ id, workspaceId }) => (workspaceId === workspace.id ? [id] : []));
    // Leaves out expired datasets, and new versions that are still being read.
    for (const dataset of await metadata.datasets.getMany(workspace.id, ids, clock()))
      if (dataset.sha256 !== "") yield dataset;
    after = some.at(-1)?.id;
    if (some.length < atOnce) return;
  }
}

/** Returns undefined if the dataset has been deleted. */
async function exportDataset(options: ExportOptions, dataset: Dataset): Promise<ArchivedDataset | undefined> {
  const { metadata, withFeatures, dir, signal } = options;
  const { id, convertedSize } = dataset;
  const archivedId = publicId(dataset);
  const known = { size: dataset.fileSize, sha256: dataset.sha256 };
  const original = await copyBlob(options, originalKey(dataset), pathOf.original(archivedId), known);
  const converted =
    convertedSize === null
      ? null
      : await copyBlob(options, convertedKey(dataset), pathOf.converted(archivedId), undefined);
  if (original === undefined || converted === undefined) {
    if ((await metadata.datasets.getUnscoped(id, 0)) === undefined) return undefined;
    throw invalid(`bytes of dataset ${id} are missing; drs verify says which, and what can be done`);
  }
  const index = await metadata.packs.ofDataset(id);
  const features =
    index === undefined || !withFeatures
      ? []
      : await exportFeatures(options, archivedId, { datasetId: id, generation: index.generation });
  let count = 0;
  const lines = async function* (): AsyncGenerator<Uint8Array> {
    for (let after = 0; ;) {
      const pages = await metadata.pages.stored(id, after, pagesPerRead);
      for (const page of pages) yield Buffer.from(`${JSON.stringify(archivedPage(page))}\n`);
      count += pages.length;
      after = pages.at(-1)?.page ?? 0;
      if (pages.length < pagesPerRead) return;
    }
  };
  const pages = await writeArchiveFile(dir, pathOf.pages(archivedId), lines(), signal);
  if ((await metadata.datasets.getUnscoped(id, 0)) === undefined) return undefined;
  return {
    id: archivedId,
    fileName: dataset.fileName,
    fileExt: dataset.fileExt,
    itemCount: dataset.itemCount,
    createdAt: dataset.createdAt,
    updatedAt: dataset.updatedAt,
    expiresAt: dataset.expiresAt,
    metadata: { ...dataset.metadata },
    title: dataset.title,
    author: dataset.author,
    warnings: dataset.warnings === null ? null : [...dataset.warnings],
    pack: index?.pack ?? null,
    original,
    converted,
    pages: { ...pages, count },
    features,
  };
}

/** Leaves out `absentFrom`, because the exported features show in which spaces a page has none. */
function archivedPage(page: StoredPage): ArchivedPage {
  const { absentFrom: _, ...archived } = page;
  return archived;
}

/** Returns undefined if the blob is missing. Blobs that an interrupted export has copied are not copied again. */
async function copyBlob(
  { blobs, dir, signal }: ExportOptions,
  key: string,
  path: string,
  known: StoredBlob | undefined,
): Promise<StoredBlob | undefined> {
  if (known !== undefined && (await ifThere(sha256OfFile(join(dir, path)))) === known.sha256) return known;
  const blob = await blobs.get(key);
  if (blob === undefined) return undefined;
  const stored = await writeArchiveFile(dir, path, blob.body, signal);
  if (known === undefined || stored.sha256 === known.sha256) return stored;
  throw invalid(
    `the document ${key} has other bytes than those that were uploaded; drs verify --deep names all of them`,
  );
}

interface FeatureExport {
  readonly metadata: { readonly features: Pick<FeatureStore, "parts"> };
  readonly blobs: BlobStore;
  readonly dir: string;
  readonly signal: AbortSignal;
}

/**
 * Copies the parts with the features of an index unchanged. Leaves out parts without a page of their own (see
 * `countingParts`) and parts that are missing or damaged, for example because the index has just been replaced. Pages
 * without exported features are embedded again after the import.
 */
export async function exportFeatures(
  context: FeatureExport,
  archivedId: string,
  index: FeaturesOf,
): Promise<ArchivedDataset["features"]> {
  const files: ArchivedDataset["features"] = [];
  for (const part of countingParts(await context.metadata.features.parts(index))) {
    const path = pathOf.features(archivedId, files.length + 1);
    if (await copyPart(context, part, path)) files.push({ size: part.bytes, sha256: part.sha256 });
  }
  return files;
}

/** Returns the parts that have at least one page that no later part has. */
function countingParts(parts: readonly FeaturePart[]): readonly FeaturePart[] {
  const later = new Set<number>();
  const counting = parts.toReversed().filter(({ pages }) => {
    const counts = pages.some((page) => !later.has(page));
    for (const page of pages) later.add(page);
    return counts;
  });
  return counting.toReversed();
}

/** Returns whether the part could be copied. Parts that an interrupted export has copied are not copied again. */
async function copyPart(
  { blobs, dir, signal }: FeatureExport,
  { key, sha256 }: FeaturePart,
  path: string,
): Promise<boolean> {
  if ((await ifThere(sha256OfFile(join(dir, path)))) === sha256) return true;
  const blob = await blobs.get(key);
  if (blob === undefined) return false;
  const stored = await writeArchiveFile(dir, path, blob.body, signal);
  if (stored.sha256 === sha256) return true;
  await rm(join(dir, path));
  return false;
}
