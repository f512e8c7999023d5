import type { Logger } from "pino";
import { isFinished } from "../../domain/jobs/job.ts";
import type { Span } from "../../domain/ports/tracing.ts";
import type { OrganisationId } from "../../domain/ids.ts";
import type { ClaimedJob } from "../../domain/ports/jobs.ts";
import type { JobContext } from "./context.ts";
import { FetchesFull } from "../errors.ts";
import { afterFailure, jobReason } from "./failures.ts";
import { logFault } from "../../log-fault.ts";
import { type HeldLease, holdLease, leaseMs } from "./lease.ts";
import { countEnd, type JobControl, runJob } from "./run.ts";
import { sweep } from "./cleanup/sweep.ts";

export interface Dispatcher {
  /** Looks for work now, because something has changed. */
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

/** Interval at which the queue is read if no message wakes the worker; it costs one indexed query. */
const pollMs = 500;

/**
 * Maximum documents that are fetched besides the running jobs, in total and for one organisation. Fetches wait for other
 * machines and hardly use this one, so a slow address must not keep uploads waiting; the limit keeps hundreds from sharing the
 * line. Jobs beyond a limit are put back.
 */
const maxWaiting = 12;
const maxOfOrganisation = 8;

const spanNames = { "datasets/extract": "job extract", "datasets/vectorize": "job vectorize" } as const;

/** Claims jobs and works on them until stopped. */
export function startDispatcher(context: JobContext, { owner, concurrency, sweeps }: Options): Dispatcher {
  const { metadata, clock, log, meter, tracing } = context;
  const stopping = new AbortController();
  const running = new Map<HeldLease, Promise<void>>();
  /** The organisations whose documents are being fetched. */
  const waiting: OrganisationId[] = [];
  let wakeUp = Promise.withResolvers<void>();
  const wake = (): void => wakeUp.resolve();

  async function look(): Promise<void> {
    // A lease that cannot be renewed must not stop the sweep, which frees room.
    await Promise.allSettled([...running.keys()].map((held) => held.check()));
    if (sweeps() && (await sweep(context))) wake();
    // Every worker does this, because the one that sweeps may be of a version without it.
    if ((await metadata.jobs.settleVersions(clock())) > 0) wake();
    await metadata.jobs.markSeen(clock());
    while (running.size < concurrency + waiting.length && !stopping.signal.aborted) {
      const claimed = await metadata.jobs.claim(owner, leaseMs, clock());
      if (claimed === undefined) return;
      const held = holdLease(metadata.jobs, claimed.lease);
      running.set(held, work(claimed, held));
    }
  }

  async function work(claimed: ClaimedJob, held: HeldLease): Promise<void> {
    const { id, datasetId, workspaceId, type, startedAt, createdAt, updatedAt, traceparent } = claimed.job;
    meter.count("jobClaims", { type });
    // This claim is the job's first one if it has set the job's start.
    if (startedAt !== null && startedAt === updatedAt && !claimed.retriesFailures)
      meter.time("jobWaits", { type }, Math.max(0, startedAt - createdAt) / 1000);
    const facts = { jobId: id, datasetId, workspaceId, attempt: claimed.tries + 1, waitedMs: clock() - createdAt };
    try {
      await tracing.goOn(traceparent, spanNames[type], facts, (span) => workIn(span, claimed, held));
    } finally {
      held.stop();
      running.delete(held);
      wake();
    }
  }

  async function workIn(span: Span, claimed: ClaimedJob, held: HeldLease): Promise<void> {
    const { id, datasetId, type } = claimed.job;
    const { traceId } = span;
    const jobLog = log.child({ jobId: id, datasetId, ...(traceId !== undefined && { traceId }) });
    jobLog.info({ type, suspects: claimed.suspects.length }, "job claimed");
    try {
      const control = { stopping: stopping.signal, whileWaiting: waitFor(claimed.organisationId) };
      const { status, reason } = await runJob(context, claimed, held, control);
      if (status === "ERROR") span.fail(reason);
      span.note({ outcome: status === "SUCCESS" ? "succeeded" : "failed" });
      jobLog.info("job finished");
    } catch (cause) {
      await settleFailure(claimed, held, cause, { jobLog, span }).catch((err: unknown) =>
        // Its lease expires, and then the job is claimed again.
        logFault(jobLog, "error", { err }, "job not ended"),
      );
    }
  }

  const waitFor =
    (organisationId: OrganisationId): JobControl["whileWaiting"] =>
    async (wait) => {
      const own = waiting.filter((id) => id === organisationId).length;
      if (waiting.length >= maxWaiting || own >= maxOfOrganisation) throw new FetchesFull();
      waiting.push(organisationId);
      wake();
      try {
        return await wait();
      } finally {
        waiting.splice(waiting.indexOf(organisationId), 1);
      }
    };

  async function settleFailure(
    claimed: ClaimedJob,
    held: HeldLease,
    cause: unknown,
    { jobLog, span }: { readonly jobLog: Logger; readonly span: Span },
  ): Promise<void> {
    if (held.lost.aborted) {
      span.note({ outcome: "lost" });
      jobLog.info("the claim is over; the job goes on elsewhere, or has ended");
      const job = await metadata.jobs.get(claimed.job.workspaceId, claimed.job.id);
      meter.count("jobClaimsLost", { cause: job === undefined || isFinished(job) ? "ended" : "lapsed" });
      return;
    }
    if (stopping.signal.aborted) {
      span.note({ outcome: "given back" });
      jobLog.info("job given back");
      return metadata.jobs.release(held.lease);
    }
    const { reason, pauseMs, isTry } = afterFailure(cause, claimed.tries, clock() - claimed.job.createdAt);
    span.fail(jobReason(cause));
    span.note({ outcome: pauseMs === undefined ? "failed" : "retried" });
    if (pauseMs === undefined) {
      jobLog.error({ err: cause }, "job failed");
      await metadata.jobs.finish(held.lease, { status: "ERROR", statusText: reason }, clock());
      countEnd(context, claimed.job, "ERROR", jobReason(cause));
      return;
    }
    logFault(jobLog, "warn", { err: cause, tries: claimed.tries, pauseMs }, "job failed; trying again");
    meter.count("jobRetries", { type: claimed.job.type, reason: jobReason(cause) });
    await metadata.jobs.postpone(held.lease, { statusText: reason, afterMs: pauseMs, isTry }, clock());
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
    isBusy: () => running.size > waiting.length,
    async stop() {
      stopping.abort(new Error("the worker is stopping"));
      wake();
      await looping;
      await Promise.all(running.values());
    },
  };
}
