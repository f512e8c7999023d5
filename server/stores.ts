import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { SettingError, type Settings } from "./config.ts";
import type { BlobStore } from "./domain/ports/blobs.ts";
import type { Metadata } from "./domain/ports/metadata.ts";
import type { VectorStore } from "./domain/ports/vectors.ts";
import { openBlobs } from "./storage/blobs/open.ts";
import { openMetadata } from "./storage/metadata/open.ts";
import { folderMode } from "./storage/private-folder.ts";
import { openReserve, type Reserve, withReserve } from "./storage/reserve.ts";
import { refuseUnfinished } from "./storage/unfinished.ts";
import { openLanceVectors } from "./storage/vectors/open.ts";

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

/** Where the stores are. */
export type StoreSettings = Pick<Settings, "dataDir" | "databaseUrl" | "blobUrl" | "vectorUrl"> &
  Partial<Pick<Settings, "databaseConnections">>;

interface Opening {
  /** Also removes what dead processes of this machine left unfinished. */
  readonly sweepTemporary?: boolean;
  /** The process searches no vectors, so it needs less memory for them. */
  readonly writesOnly?: boolean;
}

/** Opens the stores that the settings name. */
export async function openStores(
  settings: StoreSettings,
  { sweepTemporary = false, writesOnly = false }: Opening = {},
): Promise<Stores> {
  const { dataDir, databaseUrl, databaseConnections, blobUrl, vectorUrl } = settings;
  if (vectorUrl !== undefined) {
    throw new SettingError(
      "--vector-url (DRS_VECTOR_URL) is not supported by this version; unset it to keep vectors in the data folder",
    );
  }
  refuseUnfinished(dataDir, { databaseUrl, blobUrl, vectorUrl });
  await mkdir(dataDir, { recursive: true, mode: folderMode });
  const reserve = openReserve(dataDir);
  const metadata = await openMetadata({
    url: databaseUrl,
    dataDir,
    reserve,
    ...(databaseConnections !== undefined && { connections: databaseConnections }),
  });
  const blobs = await openBlobs({ url: blobUrl, dataDir, sweepTemporary });
  const vectors = await openLanceVectors({
    url: join(dataDir, "vectors"),
    ...(writesOnly && { caches: writerCaches }),
  });
  const removeDataset = withReserve({ reserve, use: "delete" }, vectors.removeDataset);
  return { metadata, blobs, vectors: { ...vectors, removeDataset }, reserve };
}

export async function closeStores({ metadata, blobs, vectors }: Stores): Promise<void> {
  await Promise.allSettled([vectors.close(), blobs.close()]);
  await metadata.close();
}
