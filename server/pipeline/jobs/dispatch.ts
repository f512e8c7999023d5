import type { Logger } from "pino";
import { isFinished } from "../../domain/jobs/job.ts";
import type { Span } from "../../domain/ports/tracing.ts";
import type { OrganisationId } from "../../domain/ids.ts";
import type { ClaimedJob } from "../../domain/ports/jobs.ts";
import type { JobContext } from "./context.ts";
import { FetchesFull } from "../errors.ts";
import { afterFailure, jobReason } from "./failures.ts";
import { logFault } from "../../logging/log-fault.ts";
import { type HeldLease, holdLease, leaseMs } from "./lease.ts";
import { countEnd, type JobControl, runJob } from "./run.ts";
import { sweep } from "./cleanup/sweep.ts";

export interface Dispatcher {
  /** Looks for work at once, because something has changed. */
  wake(): void;
  /** Whether jobs are running here, apart from those that only wait for other machines. */
  isBusy(): boolean;
  /** Stops claiming jobs, interrupts the running ones and gives them back. */
  stop(): Promise<void>;
}

interface Options {
  /** Identifies this run of the worker process. */
  readonly owner: string;
  /** Maximum concurrent jobs: more than one, so that a small document need not wait for a large one. */
  readonly concurrency: number;
  /** Whether this worker is the one that sweeps. */
  readonly sweeps: () => boolean;
}

/** Interval at which the queue is read if no message wakes the worker. A read is one indexed query. */
const pollMs = 500;

/**
 * Maximum documents that are fetched in addition to the running jobs, in total and for one organisation. Fetches mostly wait for
 * other machines, so they need not keep uploads waiting. The limits prevent hundreds of fetches from sharing the connection. Jobs
 * beyond a limit are postponed.
 */
const maxWaiting = 12;
const maxOfOrganisation = 8;

const spanNames = { "datasets/extract": "job extract", "datasets/vectorize": "job vectorize" } as const;

/** Claims jobs and works on them until stopped. */
export function startDispatcher(context: JobContext, { owner, concurrency, sweeps }: Options): Dispatcher {
  const { metadata, clock, log } = context;
  const stopping = new AbortController();
  const running = new Map<HeldLease, Promise<void>>();
  let wakeUp = Promise.withResolvers<void>();
  const wake = (): void => wakeUp.resolve();
  const fetches = limitFetches(wake);

  async function look(): Promise<void> {
    // A lease that cannot be renewed must not stop the sweep, which frees disk space.
    await Promise.allSettled([...running.keys()].map((held) => held.check()));
    if (sweeps() && (await sweep(context))) wake();
    await metadata.jobs.markSeen(clock());
    while (running.size < concurrency + fetches.count() && !stopping.signal.aborted) {
      const claimed = await metadata.jobs.claim(owner, leaseMs, clock());
      if (claimed === undefined) return;
      const held = holdLease(metadata.jobs, claimed.lease);
      const control = { stopping: stopping.signal, whileWaiting: fetches.of(claimed.organisationId) };
      const working = work(context, { claimed, held, control }).finally(() => {
        running.delete(held);
        wake();
      });
      running.set(held, working);
    }
  }

  async function loop(): Promise<void> {
    while (!stopping.signal.aborted) {
      wakeUp = Promise.withResolvers<void>();
      try {
        await look();
      } catch (cause) {
        logFault(log, "error", { err: cause }, "looking for work failed; trying again");
      }
      const timer = setTimeout(wake, pollMs);
      await wakeUp.promise;
      clearTimeout(timer);
    }
  }
  const looping = loop();

  return {
    wake,
    isBusy: () => running.size > fetches.count(),
    async stop() {
      stopping.abort(new Error("the worker is stopping"));
      wake();
      await looping;
      await Promise.all(running.values());
    },
  };
}

interface Fetches {
  /** The number of documents that are being fetched. */
  count(): number;
  /** Returns the function with which a job of this organisation waits. That function throws `FetchesFull` beyond a limit. */
  of(organisationId: OrganisationId): JobControl["whileWaiting"];
}

/** Calls `onStart` when a fetch begins, because another job can then be claimed. */
function limitFetches(onStart: () => void): Fetches {
  const waiting: OrganisationId[] = [];
  return {
    count: () => waiting.length,
    of: (organisationId) => async (wait) => {
      const own = waiting.filter((id) => id === organisationId).length;
      if (waiting.length >= maxWaiting || own >= maxOfOrganisation) throw new FetchesFull();
      waiting.push(organisationId);
      onStart();
      try {
        return await wait();
      } finally {
        waiting.splice(waiting.indexOf(organisationId), 1);
      }
    },
  };
}

/** A claimed job, the lease on it, and the dispatcher's control. */
interface Claim {
  readonly claimed: ClaimedJob;
  readonly held: HeldLease;
  readonly control: JobControl;
}

async function work(context: JobContext, claim: Claim): Promise<void> {
  const { clock, meter, tracing } = context;
  const { claimed, held } = claim;
  const { id, datasetId, workspaceId, type, startedAt, createdAt, updatedAt, traceparent } = claimed.job;
  meter.count("jobClaims", { type });
  // This is the job's first claim if it has set the job's start.
  if (startedAt !== null && startedAt === updatedAt && !claimed.retriesFailures)
    meter.time("jobWaits", { type }, Math.max(0, startedAt - createdAt) / 1000);
  const facts = { jobId: id, datasetId, workspaceId, attempt: claimed.tries + 1, waitedMs: clock() - createdAt };
  try {
    await tracing.goOn(traceparent, spanNames[type], facts, (span) => workIn(context, claim, span));
  } finally {
    held.stop();
  }
}

async function workIn(context: JobContext, claim: Claim, span: Span): Promise<void> {
  const { claimed, held, control } = claim;
  const { id, datasetId, type } = claimed.job;
  const { traceId } = span;
  const log = context.log.child({ jobId: id, datasetId, ...(traceId !== undefined && { traceId }) });
  log.info({ type, suspects: claimed.suspects.length }, "job claimed");
  try {
    const { status, reason } = await runJob(context, claimed, held, control);
    if (status === "ERROR") span.fail(reason);
    span.note({ outcome: status === "SUCCESS" ? "succeeded" : "failed" });
    log.info("job finished");
  } catch (cause) {
    await settleFailure(context, claim, cause, { log, span }).catch((err: unknown) =>
      // When the lease expires, the job is claimed again.
      logFault(log, "error", { err }, "job not ended"),
    );
  }
}

/** Gives a job back, postpones it or ends it after its run has thrown an error. */
async function settleFailure(
  context: JobContext,
  { claimed, held, control }: Claim,
  cause: unknown,
  { log, span }: { readonly log: Logger; readonly span: Span },
): Promise<void> {
  const { metadata, clock, meter } = context;
  if (held.lost.aborted) {
    span.note({ outcome: "lost" });
    log.info("the claim is over; another worker continues the job, or it has ended");
    const job = await metadata.jobs.get(claimed.job.workspaceId, claimed.job.id);
    meter.count("jobClaimsLost", { cause: job === undefined || isFinished(job) ? "ended" : "lapsed" });
    return;
  }
  if (control.stopping.aborted) {
    span.note({ outcome: "given back" });
    log.info("job given back");
    return metadata.jobs.release(held.lease);
  }
  const { reason, pauseMs, isTry } = afterFailure(cause, claimed.tries, clock() - claimed.job.createdAt);
  span.fail(jobReason(cause));
  span.note({ outcome: pauseMs === undefined ? "failed" : "retried" });
  if (pauseMs === undefined) {
    log.error({ err: cause }, "job failed");
    await metadata.jobs.finish(held.lease, { status: "ERROR", statusText: reason }, clock());
    countEnd(context, claimed.job, "ERROR", jobReason(cause));
    return;
  }
  logFault(log, "warn", { err: cause, tries: claimed.tries, pauseMs }, "job failed; trying again");
  meter.count("jobRetries", { type: claimed.job.type, reason: jobReason(cause) });
  await metadata.jobs.postpone(held.lease, { statusText: reason, afterMs: pauseMs, isTry }, clock());
}
