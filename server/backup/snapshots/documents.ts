import { join } from "node:path";
import type { Clock } from "../../domain/clock.ts";
import { convertedKey, type Dataset, originalKey, publicId } from "../../domain/datasets/dataset.ts";
import type { DatasetId, OrganisationId, UploadKey, WorkspaceId } from "../../domain/ids.ts";
import { servedIndices } from "../../domain/index/served.ts";
import type { Metadata } from "../../domain/ports/metadata.ts";
import type { ServedIndex } from "../../domain/ports/packs.ts";
import type { LiveRows } from "../../storage/metadata/live-rows.ts";
import { mapConcurrent } from "../map-concurrent.ts";
import type { Copier } from "./copy-files.ts";
import { datasetsOf, deleteMeanwhile, partsOf } from "./rows.ts";

/** Number of files that are copied at a time. Most are small, so that copying mostly waits for the disk. */
const lanes = 8;

export interface Documents {
  /** The rows of the snapshot, which may be changed. */
  readonly metadata: Metadata;
  readonly live: Pick<LiveRows, "hasDataset" | "hasNewVersion" | "hasPart" | "hasFeatures">;
  readonly copier: Copier;
  readonly dataDir: string;
  readonly workspaces: ReadonlyMap<WorkspaceId, OrganisationId>;
  readonly clock: Clock;
  /** Called for each file that is missing or damaged although it has not been deleted. */
  readonly onProblem: (sentence: string) => void;
  /**
   * Called for a document if the snapshot lacks its new version and its previous version has been deleted from the data
   * folder.
   */
  readonly onReplaced: (dataset: Dataset) => void;
}

/**
 * Copies the blobs that the rows of a snapshot refer to. Because they are copied after the rows, anything that the
 * server deleted in between is deleted from the snapshot as well. Nothing else changes, since blobs are never
 * rewritten.
 */
export async function copyDocuments(documents: Documents): Promise<void> {
  const { metadata, workspaces, clock } = documents;
  await mapConcurrent(datasetsOf(metadata), lanes, (dataset) => copyDataset(documents, dataset));
  const lost = new Map<UploadKey, WorkspaceId>();
  await mapConcurrent(partsOf(metadata, workspaces.keys(), clock()), lanes, async ({ key, workspaceId, part }) => {
    if (lost.has(key) || (await copyBlob(documents, part.blobKey)) !== undefined) return;
    if (documents.live.hasPart(part.blobKey)) documents.onProblem(`${part.blobKey}, a part of an upload, is missing`);
    else lost.set(key, workspaceId);
  });
  for (const [key, workspaceId] of lost) await metadata.uploads.abort(workspaceId, key, clock());
}

const copyBlob = ({ copier, dataDir }: Documents, key: string) =>
  copier.add({ from: join(dataDir, "blobs", ...key.split("/")), path: `blobs/${key}` });

async function copyDataset(documents: Documents, dataset: Dataset): Promise<void> {
  const { metadata, live, clock, onProblem } = documents;
  const { id, sha256, fileExt } = dataset;
  // Documents that have yet to be fetched have no bytes.
  if (sha256 !== "") {
    const key = originalKey(dataset);
    const copied = await copyBlob(documents, key);
    if (copied === undefined && !live.hasDataset(id)) {
      await removeMeanwhile(documents, dataset);
      return;
    }
    if (copied === undefined) onProblem(`the document of dataset ${id} (${key}) is missing`);
    else if (copied.sha256 !== sha256)
      onProblem(`the document of dataset ${id} (${key}) has other bytes than those that were uploaded`);
  }
  if (fileExt === "pdf" || fileExt === "") return;
  const copied = await copyBlob(documents, convertedKey(dataset));
  if (copied !== undefined || dataset.convertedSize === null) return;
  if (!live.hasDataset(id)) await removeMeanwhile(documents, dataset);
  // The PDF was replaced by another one or is lost, so the restored server converts the original again.
  else await metadata.jobs.reconvert(id, clock());
}

/** Deletes from the snapshot a dataset that has been deleted from the server. */
async function removeMeanwhile(documents: Documents, dataset: Dataset): Promise<void> {
  if (documents.live.hasNewVersion(publicId(dataset))) documents.onReplaced(dataset);
  await deleteMeanwhile(documents.metadata, dataset, documents);
}

/** Indices per call. */
const atOnce = 500;

/**
 * Copies the features of a snapshot's pages, from which the restored server builds its index. Returns the number of
 * datasets with pages that the restored server has to embed again. If an index was being built for another pack, the
 * restored server starts that build from the beginning.
 */
export async function copyFeatures(documents: Documents): Promise<number> {
  const { metadata } = documents;
  while ((await metadata.indices.retireStale(Number.MAX_SAFE_INTEGER, atOnce)) > 0);
  await metadata.indexTables.forgetAll();
  const incomplete = new Set<DatasetId>();
  await mapConcurrent(indicesOf(metadata), lanes, async (index) => {
    if (!(await copyParts(documents, index))) incomplete.add(index.datasetId);
  });
  return incomplete.size;
}

async function* indicesOf(metadata: Metadata): AsyncGenerator<ServedIndex> {
  for (const { id } of await metadata.packs.list()) for await (const some of servedIndices(metadata, id)) yield* some;
}

/** Copies the features of an index. Returns whether the snapshot has the features of all its embedded pages. */
async function copyParts(documents: Documents, index: ServedIndex): Promise<boolean> {
  const { metadata, live, clock, onProblem } = documents;
  const { datasetId } = index;
  const kept = new Set<number>();
  for (const { key, pages, sha256 } of await metadata.features.parts(index)) {
    const copied = await copyBlob(documents, key);
    if (copied?.sha256 === sha256) {
      for (const page of pages) kept.add(page);
      continue;
    }
    const dataset = live.hasDataset(datasetId) ? undefined : await metadata.datasets.getUnscoped(datasetId, 0);
    if (dataset !== undefined) {
      await removeMeanwhile(documents, dataset);
      return true;
    }
    await metadata.features.remove(index, [key], clock());
    if (live.hasFeatures(key)) {
      const problem = copied === undefined ? "are missing" : "have other bytes than those that were stored";
      onProblem(`features of dataset ${datasetId} (${key}) ${problem}; its pages are embedded again`);
    }
  }
  return (await metadata.pages.embedded(datasetId)).every(({ page }) => kept.has(page));
}
