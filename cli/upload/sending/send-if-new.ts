import { randomUUID } from "node:crypto";
import type { Drs, Job } from "@drs/client";
import { formatBytes } from "../../output/amounts.ts";
import { createGate } from "../lanes.ts";
import type { Show } from "../progress/board.ts";
import type { Accepted, Skipped } from "../results/outcome.ts";
import type { FileSource } from "../sources/source.ts";
import { sha256Of } from "../../files/sha256.ts";
import type { RetryPolicy } from "./retry.ts";
import { type Stored, vectorizeStored } from "./stored.ts";

/** Two at once: while one is hashed on one core, the other waits for the service. */
const hashedAtOnce = 2;
/** Larger files show the progress of hashing, bytes. */
const largeBytes = 64_000_000;

type Placement = Omit<Accepted, "file" | "bytes"> | Omit<Skipped, "file" | "bytes">;

interface SendIfNewOptions {
  readonly drs: Drs;
  readonly signal: AbortSignal;
  readonly vectorize: boolean;
  readonly retryPolicy: RetryPolicy;
  readonly findStored: (sha256: string) => Promise<Stored | undefined>;
  readonly transfer: (source: FileSource, idempotencyKey: string, show: Show) => Promise<Job>;
}

/** Sends a file unless the service or this run already has its content. Resolves when it is skipped or accepted. */
export function createSendIfNew(means: SendIfNewOptions): (source: FileSource, show: Show) => Promise<Placement> {
  const { signal, retryPolicy } = means;
  const hashing = createGate(hashedAtOnce);
  const contents = createSameContent();
  return async (source, show) => {
    const sum = await hashing(() => hash(source, signal, show));
    const earlier = await contents.earlier(sum, source.path);
    if (earlier !== undefined) return { outcome: "skipped", datasetId: earlier.datasetId, sameAs: earlier.file };
    const key = randomUUID();
    try {
      // Looked up again before every try, because a request whose response was lost may have succeeded.
      const placed = await retryPolicy.retry(() => place(source, { sum, key }, means, show));
      contents.settle(sum, placed.outcome === "skipped" ? placed.datasetId : placed.job.datasetId);
      return placed;
    } catch (cause) {
      contents.settle(sum, undefined);
      throw cause;
    }
  };
}

async function place(
  source: FileSource,
  { sum, key }: { sum: string; key: string },
  { drs, signal, vectorize, findStored, transfer }: SendIfNewOptions,
  show: Show,
): Promise<Placement> {
  const stored = await findStored(sum);
  if (stored === undefined) return { outcome: "uploaded", job: await transfer(source, key, show) };
  const { id: datasetId, expiresAt } = stored.dataset;
  const vectorizing = vectorize ? await vectorizeStored(drs, datasetId, signal) : undefined;
  if (vectorizing !== undefined) return { outcome: "vectorized", job: vectorizing };
  const job = stored.jobId === undefined ? undefined : await drs.jobs.get(stored.jobId, { signal });
  return { outcome: "skipped", datasetId, expiresAt, job };
}

async function hash({ path, size }: FileSource, signal: AbortSignal, show: Show): Promise<string> {
  const onProgress = (readBytes: number): void =>
    show({ note: "checking", fraction: readBytes / size, amount: `${formatBytes(readBytes)} of ${formatBytes(size)}` });
  return sha256Of(path, { signal, ...(size < largeBytes ? {} : { onProgress }) });
}

/** A file of this run that the service has accepted. */
interface Earlier {
  readonly file: string;
  readonly datasetId: string;
}

/** The files of one run by their SHA-256: the first file with a content is sent, the others wait for its outcome. */
interface SameContent {
  /**
   * Returns the earlier file with the same content, once it is accepted. If it returns undefined, there is none, and
   * `settle` must be called with the dataset that this file became, or with undefined if it was not accepted.
   */
  earlier(sha256: string, file: string): Promise<Earlier | undefined>;
  settle(sha256: string, datasetId: string | undefined): void;
}

export function createSameContent(): SameContent {
  const known = new Map<string, { readonly file: string } & PromiseWithResolvers<string | undefined>>();
  return {
    async earlier(sha256, file) {
      for (let first = known.get(sha256); first !== undefined; first = known.get(sha256)) {
        const datasetId = await first.promise;
        if (datasetId !== undefined) return { file: first.file, datasetId };
      }
      known.set(sha256, { file, ...Promise.withResolvers<string | undefined>() });
      return undefined;
    },
    settle(sha256, datasetId) {
      const first = known.get(sha256);
      // The first waiting file tries next.
      if (datasetId === undefined) known.delete(sha256);
      first?.resolve(datasetId);
    },
  };
}
