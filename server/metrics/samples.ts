import { setTimeout as sleep } from "node:timers/promises";
import { Gauge, type Registry } from "prom-client";
import type { Clock } from "../domain/clock.ts";
import type { Metadata } from "../domain/ports/metadata.ts";
import type { QueueGroup } from "../domain/ports/jobs.ts";

/** The disk of the data folder, bytes. */
export interface DiskSample {
  readonly freeBytes: number;
  readonly sizeBytes: number;
  readonly reserveBytes: number;
}

/** The counts that are read from the metadata. */
interface SampledMetadata {
  readonly jobs: Pick<Metadata["jobs"], "queue">;
  readonly renditions: Pick<Metadata["renditions"], "totalBytes">;
  readonly indices: Pick<Metadata["indices"], "countRebuilds">;
}

export interface SampleSources {
  readonly metadata: SampledMetadata;
  readonly disk: () => Promise<DiskSample>;
  /** Size limit of the rendition cache, bytes. */
  readonly cacheBytes: number;
  readonly clock: Clock;
}

/**
 * A sample serves all scrapes within this many milliseconds, so the stores are read once for any number of them.
 */
const keepMs = 5_000;
/** A store that has not answered by then gives no value, because a scrape must not hang with it. */
const waitMs = 2_000;
/**
 * Maximum number of jobs that a sample reads, so that a scrape costs a database some 50 ms for a queue of any
 * length.
 */
export const maxQueueJobs = 100_000;

const shared = "The same from every process: use max(), not sum().";

/**
 * Registers metrics that are read from the stores and the disk on each scrape. A value that cannot be read is left
 * out.
 */
export function registerSamples(registry: Registry, { metadata, disk, cacheBytes, clock }: SampleSources): void {
  const queue = cached(() => metadata.jobs.queue(maxQueueJobs), clock);
  const space = cached(disk, clock);
  const renditions = cached(() => metadata.renditions.totalBytes(), clock);
  const rebuilds = cached(() => metadata.indices.countRebuilds(), clock);

  function single<Value>(name: string, help: string, read: Read<Value>, pick: (value: Value) => number): void {
    const gauge = new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        const value = await read();
        if (value === undefined) gauge.remove();
        else gauge.set(pick(value));
      },
    });
  }
  function ofQueue(name: string, help: string, pick: (group: QueueGroup) => number): void {
    const gauge = new Gauge({
      name,
      help,
      labelNames: ["type", "stage", "state"],
      registers: [registry],
      async collect() {
        const state = await queue();
        gauge.reset();
        for (const { type, stage, state: place, ...group } of state?.groups ?? [])
          gauge.set({ type, stage, state: place }, pick({ type, stage, state: place, ...group }));
      },
    });
  }

  ofQueue(
    "drs_queue_jobs",
    `Unfinished jobs that are waiting, paused before another try, or working; at most ${maxQueueJobs} are counted. ${shared}`,
    ({ count }) => count,
  );
  ofQueue(
    "drs_queue_oldest_age_seconds",
    `Age of the job that has been unchanged for longest: since its creation if no worker has claimed it, else since its last progress. ${shared}`,
    ({ ageMs }) => ageMs / 1000,
  );
  single("drs_queue_workers", `Worker processes that hold jobs. ${shared}`, queue, ({ workers }) => workers);
  single(
    "drs_index_rebuilds",
    `Datasets whose index lost rows and is being rebuilt. ${shared}`,
    rebuilds,
    (count) => count,
  );
  single("drs_rendition_cache_bytes", `Size of the rendition cache. ${shared}`, renditions, (bytes) => bytes);
  const limit = { name: "drs_rendition_cache_limit_bytes", help: "Limit of the rendition cache, DRS_CACHE_BYTES." };
  new Gauge({ ...limit, registers: [registry] }).set(cacheBytes);
  single("drs_disk_free_bytes", "Free space on the disk of the data folder.", space, ({ freeBytes }) => freeBytes);
  single("drs_disk_size_bytes", "Size of the disk of the data folder.", space, ({ sizeBytes }) => sizeBytes);
  single(
    "drs_disk_reserve_bytes",
    "Space that is kept for deleting on a full disk.",
    space,
    ({ reserveBytes }) => reserveBytes,
  );

  const samples = { queue, disk: space, renditions, rebuilds };
  const up = new Gauge({
    name: "drs_sample_up",
    help: "1: the sample (queue, disk, renditions, rebuilds) could be read for these metrics.",
    labelNames: ["sample"],
    registers: [registry],
    async collect() {
      for (const [sample, read] of Object.entries(samples)) up.set({ sample }, (await read()) === undefined ? 0 : 1);
    },
  });
}

type Read<Value> = () => Promise<Value | undefined>;

/** Caches a read for `keepMs`; undefined if it failed, or takes too long. */
export function cached<Value>(read: () => Promise<Value>, clock: Clock): Read<Value> {
  let last: { readonly at: number; readonly value: Promise<Value | undefined> } | undefined;
  let underWay: Promise<Value | undefined> | undefined;
  return () => {
    const now = clock();
    if (last !== undefined && Math.abs(now - last.at) < keepMs) return last.value;
    // A read that hangs is not started a second time.
    underWay ??= read()
      .catch(() => undefined)
      .finally(() => (underWay = undefined));
    const value = Promise.race([underWay, sleep(waitMs, undefined, { ref: false })]);
    last = { at: now, value };
    return value;
  };
}
