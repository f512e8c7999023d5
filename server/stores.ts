import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Settings } from "./config.ts";
import type { BlobStore } from "./domain/ports/blobs.ts";
import type { Metadata } from "./domain/ports/metadata.ts";
import type { VectorStore } from "./domain/ports/vectors.ts";
import { openBlobs } from "./storage/blobs/open.ts";
import { openMetadata } from "./storage/metadata/open.ts";
import { folderMode } from "./storage/private-folder.ts";
import { openReserve, type Reserve, withReserve } from "./storage/reserve.ts";
import { openLanceVectors } from "./storage/vectors/open.ts";
import { vectorPlaceOf } from "./storage/vectors/place.ts";

export interface Stores {
  readonly metadata: Metadata;
  readonly blobs: BlobStore;
  readonly vectors: VectorStore;
  /** What is kept of the disk for deleting. */
  readonly reserve: Reserve;
}

/**
 * In bytes. A process that only writes reads the indices of its tables when it brings them up to date; what it has read is
 * replaced by that, and would only fill the caches.
 */
const writerCaches = { indices: 32 * 2 ** 20, metadata: 16 * 2 ** 20 };

interface Opening {
  /** Also removes what dead processes of this machine left unfinished. */
  readonly sweepTemporary?: boolean;
  /** The process searches no vectors, so it needs less memory for them. */
  readonly writesOnly?: boolean;
}

/** Opens the stores that the settings name. */
export async function openStores(
  settings: Pick<Settings, "dataDir" | "databaseUrl" | "blobUrl" | "vectorUrl"> &
    Partial<Pick<Settings, "localCacheBytes">>,
  { sweepTemporary = false, writesOnly = false }: Opening = {},
): Promise<Stores> {
  const { dataDir, databaseUrl, blobUrl, vectorUrl, localCacheBytes } = settings;
  const vectorPlace = vectorUrl === undefined ? { url: join(dataDir, "vectors") } : vectorPlaceOf(vectorUrl);
  await mkdir(dataDir, { recursive: true, mode: folderMode });
  const reserve = openReserve(dataDir);
  const metadata = await openMetadata({ url: databaseUrl, dataDir, reserve });
  const blobs = await openBlobs({ url: blobUrl, dataDir, localCacheBytes, sweepTemporary });
  const vectors = await openLanceVectors({
    ...vectorPlace,
    ...(writesOnly && { caches: writerCaches }),
  });
  const removeDataset = withReserve({ reserve, use: "delete" }, vectors.removeDataset);
  return { metadata, blobs, vectors: { ...vectors, removeDataset }, reserve };
}

export async function closeStores({ metadata, blobs, vectors }: Stores): Promise<void> {
  await Promise.allSettled([vectors.close(), blobs.close()]);
  await metadata.close();
}
