import { DomainError } from "../../domain/errors.ts";
import { storageFaultOf, waitingSentences } from "../../domain/storage-fault.ts";
import { DocumentError, FetchesFull, PackAbsent } from "../errors.ts";

/**
 * Pauses before a job that failed for a reason that may pass is tried again, ms: short ones for a conflict or a busy
 * database, long ones for a machine that is being repaired. 23 minutes in all.
 */
const pausesMs: readonly number[] = [1_000, 5_000, 30_000, 120_000, 300_000, 900_000];

/** The pause after so many earlier tries, for what is tried until it succeeds; ms. */
export const pauseAfter = (tries: number): number => pausesMs[tries] ?? pausesMs.at(-1) ?? 0;

export interface AfterFailure {
  /** A sentence for the document's owner. */
  readonly reason: string;
  /** Until it is tried again; undefined: it has failed for good. */
  readonly pauseMs: number | undefined;
  /** Whether the failure counts towards the job's failing for good; one that only waits for the disk does not. */
  readonly isTry: boolean;
}

/** Pause of what waits for storage, ms: room that is made is noticed soon, without hundreds of jobs trying all the time. */
const storagePauseMs = { first: 5_000, max: 30_000 } as const;

/** Pause of what needs a pack that other workers may have, ms: one of those claims it soon. */
const packPauseMs = 2_000;

/** Pause of what waits for others to be fetched, ms; in a long line it is as long as at the most for storage. */
const fetchPauseMs = { first: 2_000, max: 30_000 } as const;
const fetchPause = (ageMs: number): number => Math.min(Math.max(fetchPauseMs.first, ageMs / 10), fetchPauseMs.max);

/** Grows with the age of the job, since tries that only waited are not counted. */
const storagePause = (ageMs: number): number => Math.min(Math.max(storagePauseMs.first, ageMs), storagePauseMs.max);

/**
 * What follows a failure, after so many earlier tries that failed as well. A fault of storage fails no job: it is
 * waited out. `ageMs`: for how long there has been something to do.
 */
export function afterFailure(cause: unknown, tries: number, ageMs = 0): AfterFailure {
  const fault = storageFaultOf(cause);
  if (fault !== undefined) return { reason: waitingSentences[fault], pauseMs: storagePause(ageMs), isTry: false };
  if (cause instanceof PackAbsent) return { reason: cause.message, pauseMs: packPauseMs, isTry: false };
  if (cause instanceof FetchesFull) return { reason: cause.message, pauseMs: fetchPause(ageMs), isTry: false };
  const isLasting = cause instanceof DocumentError || (cause instanceof DomainError && cause.kind !== "unavailable");
  if (isLasting) return { reason: cause.message, pauseMs: undefined, isTry: true };
  const what = sentenceOf(cause);
  const pauseMs = pausesMs[tries];
  if (pauseMs === undefined) return { reason: `${what} (tried ${tries + 1} times)`, pauseMs, isTry: true };
  return { reason: `${what}; trying again in ${pauseMs / 1000} s`, pauseMs, isTry: true };
}

/** Without internal details: the messages of unexpected errors go to the log only. */
function sentenceOf(cause: unknown): string {
  return cause instanceof DomainError ? cause.message : "an internal error; the server's log has the details";
}
