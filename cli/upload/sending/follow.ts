import type { Drs, Job } from "@drs/client";
import { describeFailure, type Failure } from "../../failures.ts";
import { followJob } from "../../jobs/follow-job.ts";
import type { ProgressRow } from "../../ui/progress-row.ts";
import type { Show } from "../progress/board.ts";

/**
 * Number of documents whose jobs are followed while the next ones are sent, so that a slow document does not leave the
 * connection idle.
 */
export const followedAtOnce = 16;

/** Thrown if the service accepted the document but its job could not be followed. */
export class LostSight extends Error {
  override readonly name = "LostSight";
  readonly job: Job;

  constructor(job: Job, cause: unknown) {
    super(`the job ${job.id} could not be followed`, { cause });
    this.job = job;
  }

  /** Describes the failure: the document need not be sent again. */
  failure(): Failure {
    const failure = describeFailure(this.cause);
    const message = `accepted as ${this.job.datasetId}, but its job could not be followed: ${failure.message}`;
    return { ...failure, message, next: `the job continues on the server: drs jobs watch ${this.job.id}` };
  }
}

/** Follows a job to its end. Throws `LostSight` when that becomes impossible. */
export async function follow(
  job: Job,
  { drs, signal, retryTimeoutMs }: { drs: Drs; signal: AbortSignal; retryTimeoutMs: number },
  show: Show,
): Promise<Job> {
  const onRow = ({ state, note, fraction, amount, left }: ProgressRow): void => {
    if (state === "active") show({ note, fraction, amount, left });
  };
  try {
    return await followJob(drs, job.id, { label: "", signal, retryTimeoutMs, onRow });
  } catch (cause) {
    signal.throwIfAborted();
    throw new LostSight(job, cause);
  }
}
