import { DomainError } from "../../domain/errors.ts";
import { storageFaultOf, waitingSentences } from "../../domain/storage-fault.ts";
import { DocumentError, FetchesFull, PackAbsent, reasons } from "../errors.ts";

/**
 * Pauses in ms before a job is retried after a temporary failure: short at first for a conflict or a busy database, then long for
 * a machine that is being repaired. They add up to 23 minutes.
 */
const pausesMs: readonly number[] = [1_000, 5_000, 30_000, 120_000, 300_000, 900_000];

/** Returns the pause in ms after a number of earlier tries, for work that is retried until it succeeds. */
export const pauseAfter = (tries: number): number => pausesMs[tries] ?? pausesMs.at(-1) ?? 0;

interface AfterFailure {
  /** A sentence for the document's owner. */
  readonly reason: string;
  /** The pause until the next try; undefined if the job has failed for good. */
  readonly pauseMs: number | undefined;
  /** Whether the failure counts as a try. Waiting for the disk does not. */
  readonly isTry: boolean;
}

/**
 * Pause in ms of jobs that wait for storage: short enough to notice free space soon, and long enough that hundreds of jobs do not
 * retry all the time.
 */
const storagePauseMs = { first: 5_000, max: 30_000 } as const;

/** Pause in ms of jobs that need a pack that other workers may have. It is short, so that one of those claims the job soon. */
const packPauseMs = 2_000;

/** Pause in ms of jobs that wait for other fetches. In a long queue it reaches the same maximum as for storage. */
const fetchPauseMs = { first: 2_000, max: 30_000 } as const;
const fetchPause = (ageMs: number): number => Math.min(Math.max(fetchPauseMs.first, ageMs / 10), fetchPauseMs.max);

/** Returns a pause that grows with the age of the job, because tries that only waited are not counted. */
const storagePause = (ageMs: number): number => Math.min(Math.max(storagePauseMs.first, ageMs), storagePauseMs.max);

/**
 * Decides what follows a failure after a number of earlier failed tries. A storage fault fails no job; the job waits until the
 * fault is over. `ageMs` is the age of the job.
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

/** Returns a sentence without internal details: messages of unexpected errors go to the log only. */
function sentenceOf(cause: unknown): string {
  return cause instanceof DomainError ? cause.message : "an internal error; the server's log has the details";
}

/**
 * Returns the label of a job's failure for metrics. It is one of a small set, because sentences contain page numbers and names.
 */
export function jobReason(cause: unknown): string {
  const fault = storageFaultOf(cause);
  if (fault !== undefined) return `storage-${fault}`;
  if (cause instanceof DocumentError) return cause.fault;
  return cause instanceof DomainError ? cause.kind.replaceAll("_", "-") : "internal";
}

/** The beginnings of the failure sentences of pages, up to the first number. */
const beginnings: readonly (readonly [reason: string, beginning: string])[] = [
  ["unreadable", reasons.unreadable],
  ["undrawable", reasons.undrawable],
  ["unsplittable", reasons.unsplittable],
  ["no-size", reasons.noSize],
  ["crash", reasons.crash],
  ["memory", beforeFigure(reasons.memory(0))],
  ["time", beforeFigure(reasons.time(0))],
];

/** Returns the label of a page's failure for metrics, one of a small set. */
export function pageReason(sentence: string): string {
  // The sentence of a failed rendition begins with the page number.
  const text = sentence.replace(/^page \d+ cannot be shown: /, "");
  return beginnings.find(([, beginning]) => text.startsWith(beginning))?.[0] ?? "other";
}

function beforeFigure(sentence: string): string {
  return sentence.slice(0, sentence.search(/\d/));
}
