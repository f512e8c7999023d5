import { randomUUID } from "node:crypto";
import { basename, join } from "node:path";
import type { Drs, DrsError, Job, Metadata } from "@drs/client";
import { CliError, isDrsError } from "../../failures.ts";
import { createGate } from "../../upload/lanes.ts";
import type { Show } from "../../upload/progress/board.ts";
import type { RetryPolicy } from "../../upload/sending/retry.ts";
import { unfinishedJobs } from "../../upload/sending/stored.ts";
import type { Transfers } from "../../upload/sending/transfer.ts";
import { factsOf, isSame } from "../folder/sums.ts";
import type { Action } from "../plan/plan.ts";
import { emptyRecord, type Held, type KnownSum, type Sending, type SyncRecord } from "../state/record.ts";
import type { SyncState } from "../state/state.ts";
import { asVersion, received, without } from "./landed.ts";
import { statusOf, unlessMissing } from "./stock.ts";

type UploadAction = Extract<Action, { readonly kind: "upload" }>;

/** Waits for a job if requested or if `mustEnd` is true, and records the outcome for the path. */
export type Settle = (path: string, job: Job, show: Show, mustEnd?: boolean) => Promise<Job>;

export interface SenderSettings {
  readonly drs: Drs;
  readonly state: SyncState;
  /** Absolute path of the folder. */
  readonly root: string;
  readonly transfers: Transfers;
  readonly retryPolicy: RetryPolicy;
  readonly signal: AbortSignal;
  readonly atOnce: number;
  readonly vectorize: boolean;
  readonly expiresInDays: number | undefined;
  /** Metadata of new documents. */
  readonly metadata: Metadata | undefined;
  /** Called if a file was written while it was sent. */
  readonly onStale: () => void;
  readonly settle: Settle;
}

/**
 * Sends a file as a new version of the dataset of its earlier content, or as a new dataset if there is none or
 * the service does not support versions. Resolves with the job when it has ended or been accepted.
 */
export function createSender(settings: SenderSettings): (action: UploadAction, show: Show) => Promise<Job> {
  const { drs, state, retryPolicy, signal, expiresInDays, settle } = settings;
  const send = createSend(settings);
  const recordOf = (path: string): SyncRecord => state.records.get(path) ?? emptyRecord(path);
  let takesVersions = true;

  /** Waits for the job of a dataset, which gets a new version only when no job works on it. */
  const waitForWork = async (
    path: string,
    datasetId: string,
    jobId: string | undefined,
    show: Show,
  ): Promise<Job | undefined> => {
    if (jobId === undefined) return undefined;
    const job = await unlessMissing(retryPolicy.retry(() => drs.jobs.get(jobId, { signal })));
    return job?.datasetId === datasetId ? settle(path, job, show, true) : undefined;
  };

  /**
   * Sends a new version. Resolves with undefined if the service cannot accept one; the file then has to be sent as a new
   * dataset.
   */
  const sendVersion = async (path: string, sum: KnownSum, held: Held, show: Show): Promise<Job | undefined> => {
    const { datasetId } = held;
    if (held.status === "working") {
      const ended = await waitForWork(path, datasetId, held.jobId, show);
      const { held: now } = recordOf(path);
      if (now === undefined) return undefined;
      // The response was lost, and this is the version that had been sent.
      if (ended !== undefined && now.sha256 === sum.sha256 && now.status === "ready") return ended;
    }
    try {
      // Set only if requested: by default the service keeps the expiry, and the plan may no longer allow a change.
      if (expiresInDays !== undefined)
        await retryPolicy.retry(() => drs.datasets.update(datasetId, { expiresInDays }, { signal }));
      return await send(path, sum, datasetId, show);
    } catch (cause) {
      if (!isDrsError(cause)) throw cause;
      if (cause.status === 409) {
        const jobId = (await retryPolicy.retry(() => unfinishedJobs(drs, { signal }))).get(datasetId);
        await waitForWork(path, datasetId, jobId, show);
        return send(path, sum, datasetId, show);
      }
      if (!isUnknown(cause)) throw cause;
      const isThere =
        (await unlessMissing(retryPolicy.retry(() => drs.datasets.get(datasetId, { signal })))) !== undefined;
      // The dataset exists, so the service is an older one that does not support versions.
      if (isThere) takesVersions = false;
      return undefined;
    }
  };

  return async ({ path, sha256, replaces }, show) => {
    const { sum, held } = recordOf(path);
    if (sum === undefined || sum.sha256 !== sha256) throw new CliError("it has changed", { next: "sync again" });
    const isVersion = takesVersions && replaces !== undefined && held?.datasetId === replaces.datasetId;
    const job = isVersion ? await sendVersion(path, sum, held, show) : undefined;
    return job ?? send(path, sum, undefined, show);
  };
}

/** Creates a function that sends a file as a version of a dataset, or as a new dataset if `datasetId` is undefined. */
function createSend(
  settings: SenderSettings,
): (path: string, sum: KnownSum, datasetId: string | undefined, show: Show) => Promise<Job> {
  const { drs, state, root, transfers, retryPolicy, vectorize, expiresInDays, metadata, settle } = settings;
  const sending = createGate(settings.atOnce);
  const recordOf = (path: string): SyncRecord => state.records.get(path) ?? emptyRecord(path);

  return async (path, sum, datasetId, show) => {
    const { sha256 } = sum;
    const { sendings } = recordOf(path);
    const earlier = sendings.find(
      (one) => one.sha256 === sha256 && one.vectorize === vectorize && one.datasetId === datasetId,
    );
    const asked = earlier ?? newSending(path, sha256, vectorize, datasetId);
    // Saved to disk before anything is sent, so that a request whose response is lost is repeated with the same key.
    if (earlier === undefined) state.put({ ...recordOf(path), sendings: [...sendings, asked] });
    const { size, modifiedAt } = sum;
    const options = { datasetId, vectorize, expiresInDays, metadata, fileName: undefined };
    const source = { kind: "file", path: join(root, path), label: path, size, modifiedAt, options } as const;
    let job: Job;
    try {
      job = await retryPolicy.retry(() => sending(() => transfers.send(source, asked.idempotencyKey, show)));
    } catch (cause) {
      if (isRefusal(cause)) {
        const refused = isDrsError(cause) && cause.status === 415 ? { sha256, reason: cause.message } : undefined;
        state.put({ ...without(recordOf(path), asked), refused });
      }
      throw cause;
    }
    const { held } = recordOf(path);
    const isVersion = datasetId === job.datasetId && held?.datasetId === datasetId;
    // The content of a new version is known only when it has been read.
    const sent = isVersion ? sha256 : await sentSum(join(root, path), sum, job, drs);
    if (sent !== sha256 || (isVersion && !(await isAsItWas(join(root, path), sum)))) settings.onStale();
    const { datasetId: id, id: jobId } = job;
    const next = isVersion
      ? asVersion(held, { sha256, jobId, vectorize })
      : { datasetId: id, sha256: sent, status: statusOf(job), jobId, vectorized: vectorize };
    const record = received(recordOf(path), asked, next);
    state.put({ ...record, ...replacing(record, next), refused: undefined });
    return settle(path, job, show);
  };
}

function newSending(path: string, sha256: string, vectorize: boolean, datasetId: string | undefined): Sending {
  return { sha256, fileName: basename(path), vectorize, idempotencyKey: randomUUID(), since: Date.now(), datasetId };
}

async function isAsItWas(path: string, sum: KnownSum): Promise<boolean> {
  const now = await factsOf(path).catch(() => undefined);
  return now !== undefined && isSame(now, sum);
}

/** Returns the checksum of the content that was sent, because a file can change after it has been read. */
async function sentSum(path: string, sum: KnownSum, job: Job, drs: Drs): Promise<string> {
  if (await isAsItWas(path, sum)) return sum.sha256;
  return (await unlessMissing(drs.datasets.get(job.datasetId)))?.sha256 ?? sum.sha256;
}

/** Puts the dataset in the place of the earlier ones. */
function replacing({ held, replaced }: SyncRecord, next: Held): Pick<SyncRecord, "held" | "replaced"> {
  const before = [...(held === undefined ? [] : [held]), ...replaced];
  return { held: next, replaced: before.filter(({ datasetId }) => datasetId !== next.datasetId) };
}

/** Returns whether a request had no effect and would be rejected again. */
function isRefusal(cause: unknown): boolean {
  if (!isDrsError(cause) || cause.status === undefined) return false;
  return cause.status >= 400 && cause.status < 500 && ![408, 409, 429].includes(cause.status);
}

/** Returns whether the service does not know the dataset, or does not support versions. */
function isUnknown(cause: DrsError): boolean {
  const { code, status } = cause;
  if (code === "not_found" || code === "unimplemented" || status === 404 || status === 405) return true;
  return code === "invalid_argument" && cause.message.includes("datasetId");
}
