import { diskFull, withStoredBlob } from "../../../domain/blobs/stored-blob.ts";
import { fetched } from "../../../domain/datasets/address.ts";
import { type Dataset, keyOfClaim } from "../../../domain/datasets/dataset.ts";
import { documentFormats } from "../../../formats/identify.ts";
import { blobSource, identifyBytes } from "../../../domain/documents/source.ts";
import { DomainError } from "../../../domain/errors.ts";
import { storageFaultOf } from "../../../domain/storage-fault.ts";
import { quotaOf, withinQuota } from "../../../domain/usage/storage-quota.ts";
import { DocumentError } from "../../errors.ts";
import type { JobContext } from "../context.ts";
import type { HeldLease } from "../lease.ts";
import { setTimeout as sleep } from "node:timers/promises";
import type { ByteProgress } from "../../../domain/jobs/job.ts";

/** The part of a job's context that a fetch needs. */
type FetchContext = Pick<JobContext, "metadata" | "blobs" | "remoteFiles" | "clock"> & {
  readonly settings: Pick<JobContext["settings"], "maxDocumentBytes">;
};

interface Fetch {
  readonly dataset: Dataset;
  readonly address: string;
  readonly held: HeldLease;
  readonly signal: AbortSignal;
}

const limits = {
  /** Maximum time until the response: enough for a slow server to produce a report, and for any connection that succeeds. */
  answerMs: 30_000,
  /** Maximum time without data, longer than a working connection stalls. */
  silenceMs: 60_000,
  /** Maximum total time, enough for 10 GB at 12 Mbit/s. It bounds how long a server that sends slowly can occupy a job. */
  totalMs: 2 * 3_600_000,
} as const;

/**
 * Pauses between tries, enough for a server to restart or a network to recover. After the last try the job fails with the reason.
 */
const waitsMs = [1_000, 5_000, 25_000];
/** Time after which the bytes of a fetch are removed if its process has died. */
const fetchMs = limits.totalMs + 3_600_000;

/**
 * Fetches the original of a dataset from its address, under a key that only this claim uses, and records its properties. Until
 * then the bytes are on the garbage list and the address remains, so that the job's next run starts over. Throws `DocumentError`
 * if there is no document at the address.
 */
export async function fetchOriginal(
  context: FetchContext,
  { dataset, address, held, signal }: Fetch,
): Promise<Dataset> {
  const { metadata, clock } = context;
  const key = keyOfClaim("originals", dataset.id, held.lease);
  try {
    return await withStoredBlob(context, { key, lease: held.lease, withinMs: fetchMs }, async () => {
      const document = await repeat(() => download(context, { dataset, address, key, held, signal }), {
        waitsMs,
        signal,
      });
      const found = { ...document, originalKey: key };
      const outcome = await metadata.fetches.done(held.lease, dataset.id, found, clock());
      if (outcome === "over quota") throw (await quotaOf(metadata, dataset.workspaceId)).refuse("the document");
      await held.confirm(Promise.resolve(outcome === "entered"));
      return { ...dataset, ...found };
    });
  } catch (cause) {
    // A storage fault must not fail the document.
    if (!(cause instanceof DomainError) || storageFaultOf(cause) !== undefined) throw cause;
    const sentence =
      cause.kind === "unsupported" ? `what ${hostOf(address)} sent cannot be used: ${cause.message}` : cause.message;
    throw new DocumentError("not-fetched", sentence, { cause });
  }
}

/** Downloads the document once, without retries. */
async function download(
  { metadata, blobs, remoteFiles, settings, clock }: FetchContext,
  { dataset, address, key, held, signal }: Fetch & { readonly key: string },
): Promise<ReturnType<typeof fetched>> {
  const url = remoteFiles.parse(address);
  const counter = countBytes((bytes) => {
    const progress = { stage: "fetch", pagesDone: 0, pagesTotal: 0, bytes } as const;
    return held.confirm(metadata.jobs.setProgress(held.lease, progress, clock()));
  });
  let fileName = "";

  async function* body(): AsyncGenerator<Uint8Array> {
    const ofPlan = (await metadata.plans.ofWorkspace(dataset.workspaceId))?.maxUploadBytes ?? Number.POSITIVE_INFINITY;
    const maxBytes = Math.min(settings.maxDocumentBytes, ofPlan);
    const quota = await quotaOf(metadata, dataset.workspaceId);
    const diskBytes = await blobs.freeBytes();
    if (diskBytes < 0) throw diskFull();
    const checkSize = (size: number): void => {
      if (size > quota.remainingBytes) throw quota.refuse("the document");
      if (size > diskBytes) throw diskFull();
    };
    const file = await remoteFiles.open(address, { ...limits, maxBytes, checkSize }, signal);
    fileName = file.fileName;
    yield* withinQuota(sniffed(counter.count(file.body, file.size)), { quota, what: "the document" });
  }

  try {
    const stored = await blobs.put(key, body(), signal);
    const kind = await documentFormats.identify(blobSource(blobs, key, stored.size));
    return fetched(dataset, { url, fileName, kind, stored });
  } finally {
    await counter.stop();
  }
}

/** Passes the bytes through. Throws `unsupported` before the first byte if they are not a document. */
async function* sniffed(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  let isKnown = false;
  for await (const chunk of body) {
    if (isKnown) {
      yield chunk;
      continue;
    }
    parts.push(chunk);
    length += chunk.length;
    if (length < identifyBytes) continue;
    isKnown = true;
    const head = Buffer.concat(parts);
    documentFormats.refuseAtOnce(head);
    yield head;
  }
  if (isKnown) return;
  const whole = Buffer.concat(parts);
  documentFormats.refuseAtOnce(whole);
  yield whole;
}

function hostOf(address: string): string {
  return URL.parse(address)?.host ?? "the address";
}

/**
 * Retries until `attempt` succeeds or fails for good. An `unavailable` failure may be temporary, so the next try follows after
 * the next of the waits, in milliseconds. The last failure states the number of tries.
 */
export async function repeat<Result>(
  attempt: () => Promise<Result>,
  { waitsMs, signal }: { waitsMs: readonly number[]; signal: AbortSignal },
): Promise<Result> {
  for (let failures = 0; ; failures++) {
    try {
      return await attempt();
    } catch (cause) {
      signal.throwIfAborted();
      if (!(cause instanceof DomainError) || cause.kind !== "unavailable") throw cause;
      const wait = waitsMs[failures];
      if (wait === undefined)
        throw new DomainError(cause.kind, `${cause.message} (tried ${failures + 1} times)`, { cause });
      await sleep(wait, undefined, { signal }).catch(() => signal.throwIfAborted());
    }
  }
}

/** Interval of reports; four per second look live. */
const reportMs = 250;

interface ByteCounter {
  /** Passes the bytes through and counts them; `total` is in bytes, if it is known. */
  count(body: AsyncIterable<Uint8Array>, total: number | undefined): AsyncIterable<Uint8Array>;
  /** Ends the reports: once this has resolved, `report` is not called any more. */
  stop(): Promise<void>;
}

/**
 * Calls `report` with the number of bytes received, from 0 on, whenever it has changed but no more than four times per second. A
 * failed call does not end the reports.
 */
export function countBytes(report: (bytes: ByteProgress) => Promise<void>): ByteCounter {
  let now: ByteProgress = { done: 0, total: undefined };
  let reported: ByteProgress | undefined;
  let reporting = Promise.resolve();
  const look = (): void => {
    if (now === reported) return;
    reported = now;
    const bytes = now;
    reporting = reporting.then(() => report(bytes)).catch(() => undefined);
  };
  look();
  const timer = setInterval(look, reportMs);
  return {
    async *count(body, total) {
      now = { done: 0, total };
      for await (const chunk of body) {
        now = { done: now.done + chunk.length, total };
        yield chunk;
      }
    },
    async stop() {
      clearInterval(timer);
      await reporting;
    },
  };
}
