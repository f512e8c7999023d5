import { basename } from "node:path";
import type { Drs, Job, Metadata } from "@drs/client";
import { describeFailure, isDrsError } from "../../failures.ts";
import type { Show } from "../../upload/progress/board.ts";
import { follow, LostSight } from "../../upload/sending/follow.ts";
import { notTried, type RetryPolicy } from "../../upload/sending/retry.ts";
import { vectorizeStored } from "../../upload/sending/stored.ts";
import type { Transfers } from "../../upload/sending/transfer.ts";
import { type Action, deletable } from "../plan/plan.ts";
import type { Step, SyncResult } from "../results/result.ts";
import { emptyRecord, type Held, type SyncRecord } from "../state/record.ts";
import type { SyncState } from "../state/state.ts";
import { createSender, type Settle } from "./send.ts";
import { statusOf, unlessMissing, withOutcome } from "./stock.ts";

interface WorkSettings {
  readonly drs: Drs;
  readonly state: SyncState;
  /** Absolute path of the folder. */
  readonly root: string;
  /** Returns the name that results show for a path. */
  readonly nameOf: (path: string) => string;
  readonly transfers: Transfers;
  readonly retryPolicy: RetryPolicy;
  readonly signal: AbortSignal;
  readonly retryTimeoutMs: number;
  readonly atOnce: number;
  readonly vectorize: boolean;
  readonly deleteAdopted: boolean;
  readonly expiresInDays: number | undefined;
  /** Metadata of new documents. */
  readonly metadata: Metadata | undefined;
  /** Follows each job to its end. */
  readonly wait: boolean;
  /** Called if a file was written while it was sent. */
  readonly onStale: () => void;
}

/** Executes one action. A failure is a result; the promise rejects only with the reason of an abort. */
export type Work = (action: Action, show: Show) => Promise<SyncResult>;

export function createWork(settings: WorkSettings): Work {
  const { drs, nameOf, retryPolicy, signal } = settings;
  const { remove, rename, settle, makeSearchable } = createSteps(settings);
  const send = createSender({ ...settings, settle });

  const run = async (action: Action, show: Show): Promise<Job | undefined> => {
    const { path } = action;
    switch (action.kind) {
      case "upload":
        return send(action, show);
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
        await rename(path, action.held.datasetId);
        return undefined;
      case "adopt":
        // The plan has already updated the record.
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

/** The changes of stored datasets, each with the record of its path. */
interface Steps {
  /** Deletes the datasets from the service and from the record. */
  remove(path: string, datasets: readonly Held[]): Promise<void>;
  /** Renames the document on the service. Waits for a new version in progress, because that sets its own name. */
  rename(path: string, datasetId: string): Promise<void>;
  /** Waits for the job of a path's dataset if requested; once it is ready, earlier datasets are deleted. */
  readonly settle: Settle;
  /** Resolves with the job; undefined if there is nothing to do. */
  makeSearchable(path: string, held: Held, show: Show): Promise<Job | undefined>;
}

function createSteps(settings: WorkSettings): Steps {
  const { drs, state, retryPolicy, signal, retryTimeoutMs, wait } = settings;
  const recordOf = (path: string): SyncRecord => state.records.get(path) ?? emptyRecord(path);

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

  const rename = async (path: string, datasetId: string): Promise<void> => {
    const { held } = recordOf(path);
    if (held?.datasetId !== datasetId || held.isMisnamed !== true || held.before !== undefined) return;
    const fileName = basename(path);
    await unlessMissing(retryPolicy.retry(() => drs.datasets.update(datasetId, { fileName }, { signal })));
    const record = recordOf(path);
    if (record.held?.datasetId !== datasetId) return;
    state.put({ ...record, held: { ...record.held, isMisnamed: undefined } });
  };

  const settle: Settle = async (path, job, show, mustEnd = wait) => {
    const ended = mustEnd ? await follow(job, { drs, signal, retryTimeoutMs }, show) : job;
    if (recordOf(path).held?.datasetId !== ended.datasetId) return ended;
    const { held, refused } = await withOutcome({ drs, retryPolicy, signal }, recordOf(path), ended);
    state.put({ ...recordOf(path), held, refused });
    if (ended.status === "SUCCESS") await remove(path, deletable(recordOf(path).replaced, settings));
    await rename(path, ended.datasetId);
    return ended;
  };

  const makeSearchable = async (path: string, { datasetId }: Held, show: Show): Promise<Job | undefined> => {
    const job = await retryPolicy.retry(() => vectorizeStored(drs, datasetId, signal));
    const { held, ...record } = recordOf(path);
    if (held?.datasetId !== datasetId) return job;
    const status = job === undefined ? held.status : statusOf(job);
    state.put({ ...record, held: { ...held, vectorized: true, status, jobId: job?.id ?? held.jobId } });
    return job === undefined ? undefined : settle(path, job, show);
  };

  return { remove, rename, settle, makeSearchable };
}

function stepOf(action: Action): Step {
  const steps: Readonly<Record<Action["kind"], Step>> = {
    upload: action.kind === "upload" && action.replaces !== undefined ? "changed" : "uploaded",
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
