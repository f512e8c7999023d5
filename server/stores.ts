import { join } from "node:path";
import type { Settings } from "./settings/settings.ts";
import type { Clock } from "./domain/clock.ts";
import type { BlobStore } from "./domain/ports/blobs.ts";
import type { FeatureCodec } from "./domain/ports/features.ts";
import type { Metadata } from "./domain/ports/metadata.ts";
import type { VectorStore } from "./domain/ports/vector-store.ts";
import { openBlobs } from "./storage/blobs/open.ts";
import { featureCodec } from "./storage/features/codec.ts";
import { openMetadata } from "./storage/metadata/open.ts";
import { makeDataFolder } from "./storage/private-folder.ts";
import { checkProcessor } from "./storage/processor.ts";
import { checkStorage, isShared } from "./startup/storage-mode.ts";
import { startStoreClock } from "./startup/store-clock.ts";
import { openReserve, type Reserve, withReserve } from "./storage/reserve.ts";
import { refuseUnfinished } from "./storage/unfinished.ts";
import { type LanceOptions, openLanceVectors } from "./storage/vectors/open.ts";
import type { CacheBounds } from "./storage/vectors/tables.ts";
import { vectorPlaceOf } from "./storage/vectors/place.ts";
import { reachVectors } from "./storage/vectors/check-access.ts";

export interface Stores {
  readonly metadata: Metadata;
  readonly blobs: BlobStore;
  readonly vectors: VectorStore;
  readonly features: FeatureCodec;
  /** What is kept of the disk for deleting. */
  readonly reserve: Reserve;
  /** The clock that all processes on the stores go by. */
  readonly clock: Clock;
  /** Ends the comparing of clocks. */
  readonly stopClock: () => void;
}

/**
 * In bytes. A process that only writes reads the indices of its tables when it brings them up to date; what it has read is
 * replaced by that, and would only fill the caches.
 */
const writerCaches = { indices: 32 * 2 ** 20, metadata: 16 * 2 ** 20 };

/** An index is read a part at a time, and takes more than what says where its parts are. */
const cachesOf = (bytes: number | undefined): CacheBounds | undefined =>
  bytes === undefined ? undefined : { indices: (bytes * 2) / 3, metadata: bytes / 3 };

/** Where the stores are. */
export type StoreSettings = Pick<Settings, "dataDir" | "databaseUrl" | "blobUrl" | "vectorUrl"> &
  Partial<Pick<Settings, "databaseConnections" | "localCacheBytes" | "vectorCacheBytes">>;

interface Opening {
  /** Also removes what dead processes of this machine left unfinished. */
  readonly sweepTemporary?: boolean;
  /** The process searches no vectors, so it needs less memory for them. */
  readonly writesOnly?: boolean;
  /** Is told of every table of the index that this process gives up, and why. */
  readonly onIndexGivenUp?: LanceOptions["onGivenUp"];
  /** Also stores that a restore or a move has not filled yet. */
  readonly unfinished?: boolean;
}

/** Opens the stores that the settings name. Throws `unsupported` or `StoreError` if one of them cannot be used. */
export async function openStores(
  settings: StoreSettings,
  { sweepTemporary = false, writesOnly = false, unfinished = false, onIndexGivenUp }: Opening = {},
): Promise<Stores> {
  const { dataDir, databaseUrl, databaseConnections, blobUrl, vectorUrl, localCacheBytes, vectorCacheBytes } = settings;
  checkProcessor();
  checkStorage(settings);
  const vectorPlace = vectorUrl === undefined ? { url: join(dataDir, "vectors") } : vectorPlaceOf(vectorUrl);
  if (!unfinished) refuseUnfinished(dataDir, { databaseUrl, blobUrl, vectorUrl });
  makeDataFolder(dataDir);
  const reserve = openReserve(dataDir);
  const metadata = await openMetadata({
    url: databaseUrl,
    dataDir,
    reserve,
    ...(databaseConnections !== undefined && { connections: databaseConnections }),
  });
  const blobs = await openBlobs({ url: blobUrl, dataDir, localCacheBytes, sweepTemporary });
  const shared = isShared(settings) ? await startStoreClock(() => metadata.now()) : undefined;
  const { now: clock, stop: stopClock } = shared ?? ownClock;
  const vectors = await openLanceVectors({
    ...vectorPlace,
    metadata,
    clock,
    caches: writesOnly ? writerCaches : cachesOf(vectorCacheBytes),
    ...(onIndexGivenUp !== undefined && { onGivenUp: onIndexGivenUp }),
  });
  if (vectorUrl !== undefined) await reachVectors(vectors);
  const remove = withReserve({ reserve, use: "delete" }, vectors.remove);
  return { metadata, blobs, vectors: { ...vectors, remove }, features: featureCodec, reserve, clock, stopClock };
}

/** All processes are on this host. */
const ownClock = { now: Date.now, stop: () => undefined };

export async function closeStores({ metadata, blobs, vectors, stopClock }: Stores): Promise<void> {
  stopClock();
  await Promise.allSettled([vectors.close(), blobs.close()]);
  await metadata.close();
}
