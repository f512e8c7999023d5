import { randomUUID } from "node:crypto";
import type { Job } from "@drs/client";
import { formatBytes } from "../../output/amounts.ts";
import { sha256Of } from "./content.ts";
import { follow } from "./follow.ts";
import type { UploadResult } from "../results/outcome.ts";
import { surelyRefused } from "./retry.ts";
import type { Run, Show } from "../run.ts";
import { send } from "./send.ts";
import { type FileSource, nameOfSource, type Source } from "../sources/source.ts";
import { vectorizeStored } from "./stored.ts";

/** Sends one document unless the service has it. Rejects with whatever kept it from that. */
export async function uploadSource(source: Source, run: Run, show: Show): Promise<UploadResult> {
  if (source.kind === "file" && !run.force) return uploadOnce(source, run, show);
  const key = randomUUID();
  // What a program writes can be read once only: it is sent again if nothing of it has been taken.
  const mayRetry = source.kind === "input" ? surelyRefused : undefined;
  const job = await run.retryPolicy.retry(() => run.sending(() => send(source, run, key, show)), mayRetry);
  const ended = { file: nameOfSource(source), bytes: source.kind === "file" ? source.size : 0 };
  return { ...ended, outcome: "uploaded", job: run.wait ? await follow(job, run, show) : job };
}

/** Sends a file unless the service or this run has seen its content. */
async function uploadOnce(source: FileSource, run: Run, show: Show): Promise<UploadResult> {
  const ended = { file: source.path, bytes: source.size };
  const sum = await run.hashing(() => hash(source, run, show));
  for (let earlier = run.sent.get(sum); earlier !== undefined; earlier = run.sent.get(sum)) {
    const datasetId = await earlier.datasetId;
    if (datasetId !== undefined) return { ...ended, outcome: "skipped", datasetId, sameAs: earlier.file };
  }
  const accepted = Promise.withResolvers<string | undefined>();
  run.sent.set(sum, { file: source.path, datasetId: accepted.promise });
  const key = randomUUID();
  let placed: Placed;
  try {
    // Looked for again before every attempt: an answer that was lost may have been a yes.
    placed = await run.retryPolicy.retry(() => place(source, { sum, key }, run, show));
  } catch (cause) {
    run.sent.delete(sum);
    accepted.resolve(undefined);
    throw cause;
  }
  accepted.resolve(placed.datasetId);
  const { job } = placed;
  const last = job === undefined || !run.wait ? job : await follow(job, run, show);
  return placed.outcome === "skipped"
    ? { ...ended, ...placed, job: last }
    : { ...ended, ...placed, job: last ?? placed.job };
}

/** Where a file's content stands in the service now, and the work on it that can be waited for. */
type Placed =
  | { readonly outcome: "uploaded" | "vectorized"; readonly datasetId: string; readonly job: Job }
  | {
      readonly outcome: "skipped";
      readonly datasetId: string;
      readonly expiresAt: number | null;
      readonly job: Job | undefined;
    };

async function place(
  source: FileSource,
  { sum, key }: { sum: string; key: string },
  run: Run,
  show: Show,
): Promise<Placed> {
  const { drs, signal } = run;
  const stored = await run.findStored(sum);
  if (stored === undefined) {
    const job = await run.sending(() => send(source, run, key, show));
    return { outcome: "uploaded", datasetId: job.datasetId, job };
  }
  const { id: datasetId, expiresAt } = stored.dataset;
  const vectorizing = run.vectorize ? await vectorizeStored(drs, datasetId, signal) : undefined;
  if (vectorizing !== undefined) return { outcome: "vectorized", datasetId, job: vectorizing };
  const job = stored.jobId === undefined ? undefined : await drs.jobs.get(stored.jobId, { signal });
  return { outcome: "skipped", datasetId, expiresAt, job };
}

/** Files whose reading takes so many bytes show how far it is. */
const largeBytes = 64_000_000;

async function hash({ path, size }: FileSource, { signal }: Run, show: Show): Promise<string> {
  const onProgress = (readBytes: number): void =>
    show({ note: "checking", fraction: readBytes / size, amount: `${formatBytes(readBytes)} of ${formatBytes(size)}` });
  return sha256Of(path, { signal, ...(size < largeBytes ? {} : { onProgress }) });
}
