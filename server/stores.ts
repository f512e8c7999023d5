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
import { openBallastFile, type BallastFile, withBallastFile } from "./storage/ballast-file.ts";
import { refuseUnfinished } from "./storage/unfinished.ts";
import { type LanceOptions, openLanceVectors } from "./storage/vectors/open.ts";
import type { CacheBounds } from "./storage/vectors/tables.ts";
import { vectorPlaceOf, checkVectorAccess } from "./storage/vectors/place.ts";
import type { Logger } from "pino";
import type { IndexTable } from "./domain/ports/index-tables.ts";

export interface Stores {
  readonly metadata: Metadata;
  readonly blobs: BlobStore;
  readonly vectors: VectorStore;
  readonly features: FeatureCodec;
  /** The part of the disk that is reserved for deleting. */
  readonly reserve: BallastFile;
  /** The clock that all processes of the stores share. */
  readonly clock: Clock;
  /** Stops comparing clocks. */
  readonly stopClock: () => void;
}

/**
 * Cache sizes in bytes of a process that only writes. It reads the indices of its tables to update them, which replaces what
 * it has read, so larger caches would only fill up.
 */
const writerCaches = { indices: 32 * 2 ** 20, metadata: 16 * 2 ** 20 };

/** Indices get two thirds: they are larger than the metadata that locates their parts. */
const cachesOf = (bytes: number | undefined): CacheBounds | undefined =>
  bytes === undefined ? undefined : { indices: (bytes * 2) / 3, metadata: bytes / 3 };

/** The settings that locate the stores. */
export type StoreSettings = Pick<Settings, "dataDir" | "databaseUrl" | "blobUrl" | "vectorUrl"> &
  Partial<Pick<Settings, "databaseConnections" | "localCacheBytes" | "vectorCacheBytes">>;

interface Opening {
  /** Whether to remove unfinished files of dead processes of this machine. */
  readonly sweepTemporary?: boolean;
  /** Whether the process never searches, so that it needs less memory for vectors. */
  readonly writesOnly?: boolean;
  /** Called for every table of the index that this process gives up, with the reason. */
  readonly onIndexGivenUp?: LanceOptions["onGivenUp"];
  /** Whether to open stores that a restore or a move has not filled yet. */
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
  const reserve = openBallastFile(dataDir);
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
  if (vectorUrl !== undefined) await checkVectorAccess(vectors);
  const remove = withBallastFile({ reserve, use: "delete" }, vectors.remove);
  return { metadata, blobs, vectors: { ...vectors, remove }, features: featureCodec, reserve, clock, stopClock };
}

/** The clock of stores whose processes are all on this host. */
const ownClock = { now: Date.now, stop: () => undefined };

export async function closeStores({ metadata, blobs, vectors, stopClock }: Stores): Promise<void> {
  stopClock();
  await Promise.allSettled([vectors.close(), blobs.close()]);
  await metadata.close();
}

/** Logs that a table of the index has been given up. No action is needed: workers rebuild it. */
export const warnOfGivenUp =
  (log: Logger) =>
  ({ workspaceId, pack, name }: IndexTable, why: string): void =>
    log.warn({ workspaceId, pack, table: name, why }, "a table of the index cannot be read; it is made again");
