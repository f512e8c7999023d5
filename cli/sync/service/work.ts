import { randomUUID } from "node:crypto";
import { basename, join } from "node:path";
import type { Drs, Job } from "@drs/client";
import { CliError, describeFailure, isDrsError } from "../../failures.ts";
import { createGate } from "../../upload/lanes.ts";
import type { Show } from "../../upload/progress/board.ts";
import { follow, LostSight } from "../../upload/sending/follow.ts";
import type { RetryPolicy } from "../../upload/sending/retry.ts";
import { vectorizeStored } from "../../upload/sending/stored.ts";
import type { Transfers } from "../../upload/sending/transfer.ts";
import { factsOf, isSame } from "../folder/sums.ts";
import type { Action } from "../plan/plan.ts";
import type { Step, SyncResult } from "../results/result.ts";
import { emptyRecord, type Held, type KnownSum, type Sending, type SyncRecord } from "../state/record.ts";
import type { SyncState } from "../state/state.ts";
import { received, without } from "./landed.ts";
import { statusOf, unlessMissing } from "./stock.ts";

export interface WorkSettings {
  readonly drs: Drs;
  readonly state: SyncState;
  /** The folder, absolute. */
  readonly root: string;
  /** A path of the folder, as results name it. */
  readonly nameOf: (path: string) => string;
  readonly transfers: Transfers;
  readonly retryPolicy: RetryPolicy;
  readonly signal: AbortSignal;
  readonly patienceMs: number;
  readonly atOnce: number;
  readonly vectorize: boolean;
  readonly expiresInDays: number | undefined;
  /** Follow each job to its end. */
  readonly wait: boolean;
  /** A file was written while it was sent. */
  readonly onStale: () => void;
}

/** Does one step; a failure is its result. Rejects only with the reason of an abort. */
export type Work = (action: Action, show: Show) => Promise<SyncResult>;

export function createWork(settings: WorkSettings): Work {
  const { drs, state, root, nameOf, transfers, retryPolicy, signal, patienceMs, vectorize, wait } = settings;
  const sending = createGate(settings.atOnce);
  const recordOf = (path: string): SyncRecord => state.records.get(path) ?? emptyRecord(path);

  /** The datasets are gone from the service and from the record. */
  const remove = async (path: string, datasets: readonly Held[]): Promise<void> => {
    for (const { datasetId } of datasets) {
      await unlessMissing(retryPolicy.retry(() => drs.datasets.delete(datasetId, { signal })));
      const record = recordOf(path);
      state.put({
        ...record,
        held: record.held?.datasetId === datasetId ? undefined : record.held,
        replaced: record.replaced.filter((one) => one.datasetId !== datasetId),
      });
    }
  };

  /** Waits for the job of the dataset that a path has; once that is ready, earlier ones go. */
  const settle = async (path: string, job: Job, show: Show): Promise<Job> => {
    const ended = wait ? await follow(job, { drs, signal, patienceMs }, show) : job;
    const record = recordOf(path);
    if (record.held?.datasetId !== ended.datasetId) return ended;
    state.put({ ...record, held: { ...record.held, status: statusOf(ended) } });
    if (ended.status === "SUCCESS") await remove(path, record.replaced);
    return ended;
  };

  const upload = async (path: string, sha256: string, show: Show): Promise<Job> => {
    const { sum, sendings } = recordOf(path);
    if (sum === undefined || sum.sha256 !== sha256) throw new CliError("it has changed", { next: "sync again" });
    const earlier = sendings.find((one) => one.sha256 === sha256 && one.vectorize === vectorize);
    const asked = earlier ?? newSending(path, sha256, vectorize);
    // On the disk before anything is sent: an answer that is lost is asked for again with the same key.
    if (earlier === undefined) state.put({ ...recordOf(path), sendings: [...sendings, asked] });
    const source = {
      kind: "file",
      path: join(root, path),
      label: path,
      size: sum.size,
      modifiedAt: sum.modifiedAt,
    } as const;
    try {
      const job = await retryPolicy.retry(() => sending(() => transfers.send(source, asked.idempotencyKey, show)));
      const sent = await sentSum(join(root, path), sum, job, drs);
      if (sent !== sha256) settings.onStale();
      const held = {
        datasetId: job.datasetId,
        sha256: sent,
        status: statusOf(job),
        jobId: job.id,
        vectorized: vectorize,
      };
      const record = received(recordOf(path), asked, held);
      state.put({ ...record, ...replacing(record, held), refused: undefined });
      return await settle(path, job, show);
    } catch (cause) {
      if (isRefusal(cause)) {
        const refused = isDrsError(cause) && cause.status === 415 ? { sha256, reason: cause.message } : undefined;
        state.put({ ...without(recordOf(path), asked), refused });
      }
      throw cause;
    }
  };

  const makeSearchable = async (path: string, { datasetId }: Held, show: Show): Promise<Job | undefined> => {
    const job = await retryPolicy.retry(() => vectorizeStored(drs, datasetId, signal));
    const { held, ...record } = recordOf(path);
    if (held?.datasetId !== datasetId) return job;
    const status = job === undefined ? held.status : statusOf(job);
    state.put({ ...record, held: { ...held, vectorized: true, status, jobId: job?.id ?? held.jobId } });
    return job === undefined ? undefined : settle(path, job, show);
  };

  /** Tells the service what the file is called now. The record that the plan comes with says which dataset it has. */
  const rename = async (path: string, { datasetId, isMisnamed }: Held): Promise<void> => {
    if (isMisnamed !== true) return;
    const fileName = basename(path);
    await unlessMissing(retryPolicy.retry(() => drs.datasets.update(datasetId, { fileName }, { signal })));
    const record = recordOf(path);
    if (record.held?.datasetId !== datasetId) return;
    state.put({ ...record, held: { ...record.held, isMisnamed: undefined } });
  };

  const run = async (action: Action, show: Show): Promise<Job | undefined> => {
    const { path } = action;
    switch (action.kind) {
      case "upload":
        return upload(path, action.sha256, show);
      case "vectorize":
        return makeSearchable(path, action.held, show);
      case "follow": {
        const { jobId } = action.held;
        if (jobId === undefined) return undefined;
        return settle(path, await retryPolicy.retry(() => drs.jobs.get(jobId, { signal })), show);
      }
      case "clean":
      case "delete":
        await remove(path, action.datasets);
        return undefined;
      case "move":
      case "name":
        await rename(path, action.held);
        return undefined;
      case "adopt":
        // Said by the records that the plan comes with.
        return undefined;
    }
  };

  return async (action, show) => {
    signal.throwIfAborted();
    const result = {
      step: stepOf(action),
      file: nameOf(action.path),
      bytes: action.kind === "upload" ? action.bytes : 0,
      from: action.kind === "move" && action.from !== action.path ? nameOf(action.from) : undefined,
    };
    try {
      if (retryPolicy.lost !== undefined) throw notTried(retryPolicy.lost);
      const job = await run(action, show);
      return { ...result, job, datasetIds: job === undefined ? idsOf(action) : [job.datasetId] };
    } catch (cause) {
      signal.throwIfAborted();
      const refused = isDrsError(cause) && cause.status === 415 ? true : undefined;
      if (!(cause instanceof LostSight))
        return { ...result, datasetIds: idsOf(action), failure: describeFailure(cause), refused };
      return { ...result, datasetIds: [cause.job.datasetId], failure: cause.failure(), job: cause.job };
    }
  };
}

function newSending(path: string, sha256: string, vectorize: boolean): Sending {
  return { sha256, fileName: basename(path), vectorize, idempotencyKey: randomUUID(), since: Date.now() };
}

/** The content that was sent: a file can be written to after it has been read. */
async function sentSum(path: string, sum: KnownSum, job: Job, drs: Drs): Promise<string> {
  const now = await factsOf(path).catch(() => undefined);
  if (now !== undefined && isSame(now, sum)) return sum.sha256;
  return (await unlessMissing(drs.datasets.get(job.datasetId)))?.sha256 ?? sum.sha256;
}

/** The dataset takes the place of the ones before. */
function replacing({ held, replaced }: SyncRecord, next: Held): Pick<SyncRecord, "held" | "replaced"> {
  const before = [...(held === undefined ? [] : [held]), ...replaced];
  return { held: next, replaced: before.filter(({ datasetId }) => datasetId !== next.datasetId) };
}

/** Whether nothing has come of a request, and the same one will not be answered otherwise. */
function isRefusal(cause: unknown): boolean {
  if (!isDrsError(cause) || cause.status === undefined) return false;
  return cause.status >= 400 && cause.status < 500 && ![408, 409, 429].includes(cause.status);
}

function stepOf(action: Action): Step {
  const steps: Readonly<Record<Action["kind"], Step>> = {
    upload: action.kind === "upload" && action.isChange ? "changed" : "uploaded",
    move: "renamed",
    name: "renamed",
    adopt: "adopted",
    follow: "followed",
    vectorize: "vectorized",
    clean: "cleaned",
    delete: "deleted",
  };
  return steps[action.kind];
}

function idsOf(action: Action): readonly string[] {
  if (action.kind === "upload") return [];
  if (action.kind === "clean" || action.kind === "delete") return action.datasets.map(({ datasetId }) => datasetId);
  return [action.held.datasetId];
}

/** Of files whose turn came after the service was lost. */
function notTried(lost: unknown): CliError {
  const { message, next, exitCode } = describeFailure(lost);
  return new CliError(`not tried: ${message}`, { next, exitCode });
}
