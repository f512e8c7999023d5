import type { Logger } from "pino";
import { isFinished } from "../../domain/jobs/job.ts";
import type { Span } from "../../domain/ports/tracing.ts";
import type { OrganisationId } from "../../domain/ids.ts";
import type { ClaimedJob } from "../../domain/ports/jobs.ts";
import type { JobContext } from "./context.ts";
import { FetchesFull } from "../errors.ts";
import { afterFailure } from "./failures.ts";
import { logFault } from "../../log-fault.ts";
import { type HeldLease, holdLease, leaseMs } from "./lease.ts";
import { jobReason } from "./reasons.ts";
import { countEnd, runJob, type Turn } from "./run.ts";
import { sweep } from "./cleanup/sweep.ts";

export interface Dispatcher {
  /** Look now: something has changed. */
  wake(): void;
  /** Whether jobs are at work here, but for those that only wait for other machines. */
  isBusy(): boolean;
  /** Stops taking jobs, interrupts those at work and gives them back. */
  stop(): Promise<void>;
}

interface Options {
  /** Names this run of the worker process. */
  readonly owner: string;
  /** Jobs at work at the same time: more than one, so that a small document need not wait for a large one. */
  readonly concurrency: number;
  /** Whether this worker is the one that sweeps. */
  readonly sweeps: () => boolean;
}

/** How often the queue is read when no message wakes the worker; it costs one indexed query. */
const pollMs = 500;

/**
 * Documents that are fetched beside the jobs at work. They wait for other machines and use hardly anything of this
 * one, so a slow address must not keep uploads waiting; some, so that the line is not shared by hundreds. What would be one
 * more is put back, and so is one of an organisation that has left too little for the others.
 */
const maxWaiting = 12;
const maxOfOrganisation = 8;

const spanNames = { "datasets/extract": "job extract", "datasets/vectorize": "job vectorize" } as const;

/** Claims jobs and works on them until stopped. */
export function startDispatcher(context: JobContext, { owner, concurrency, sweeps }: Options): Dispatcher {
  const { metadata, clock, log, meter, tracing } = context;
  const stopping = new AbortController();
  const running = new Map<HeldLease, Promise<void>>();
  /** Whose documents are being fetched. */
  const waiting: OrganisationId[] = [];
  let wakeUp = Promise.withResolvers<void>();
  const wake = (): void => wakeUp.resolve();

  async function look(): Promise<void> {
    // A lease that cannot be renewed must not stop the sweep, which frees room.
    await Promise.allSettled([...running.keys()].map((held) => held.check()));
    if (sweeps() && (await sweep(context))) wake();
    // Each worker, since the one that sweeps may be of a version that knows none.
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
    // A claim that begins the job gives it its start.
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
      const turn = { stopping: stopping.signal, whileWaiting: waitFor(claimed.organisationId) };
      const { status, reason } = await runJob(context, claimed, held, turn);
      if (status === "ERROR") span.fail(reason);
      span.note({ outcome: status === "SUCCESS" ? "succeeded" : "failed" });
      jobLog.info("job finished");
    } catch (cause) {
      await endEarly(claimed, held, cause, { jobLog, span }).catch((err: unknown) =>
        // Its lease runs out, and then the job is claimed again.
        logFault(jobLog, "error", { err }, "job not ended"),
      );
    }
  }

  const waitFor =
    (organisationId: OrganisationId): Turn["whileWaiting"] =>
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

  async function endEarly(
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
