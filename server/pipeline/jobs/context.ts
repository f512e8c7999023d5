import type { Logger } from "pino";
import type { Settings } from "../../config.ts";
import type { Clock } from "../../domain/clock.ts";
import type { BlobStore } from "../../domain/ports/blobs.ts";
import type { Metadata } from "../../domain/ports/metadata.ts";
import type { PackInUse } from "../../domain/ports/pack.ts";
import type { VectorStore } from "../../domain/ports/vectors.ts";
import type { Maintenance } from "../maintenance.ts";
import type { PagePool } from "../pool.ts";
import type { RenditionMaker } from "../renditions.ts";

/** What job work needs; filled in where the worker process is put together. */
export interface JobContext {
  readonly metadata: Metadata;
  readonly blobs: BlobStore;
  readonly vectors: VectorStore;
  readonly pool: PagePool;
  readonly pack: PackInUse;
  readonly renditions: RenditionMaker;
  readonly maintenance: Pick<Maintenance, "request">;
  readonly settings: Pick<Settings, "renditions" | "workers">;
  readonly clock: Clock;
  readonly log: Logger;
}
