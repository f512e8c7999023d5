import type { Drs, Job } from "@drs/client";
import { CliError, describeFailure, type Failure, isDrsError } from "../failures.ts";
import type { ProgressRow, ProgressView } from "../ui/progress-row.ts";
import { createBoard, type Expected } from "./progress/board.ts";
import { LostSight } from "./sending/follow.ts";
import { createGate, inLanes } from "./lanes.ts";
import { failedPages, hasFailed, noteOf, type UploadResult } from "./results/outcome.ts";
import { createRetryPolicy } from "./sending/retry.ts";
import type { Run } from "./run.ts";
import { type SavedUploads, savedUploadsIn } from "./sessions/saved-uploads.ts";
import { unfinishedUploadOf } from "./sending/send.ts";
import { nameOfSource, type Source, type Unreadable, type DocumentOptions } from "./sources/source.ts";
import { findStored, type Stored } from "./sending/stored.ts";
import { counted, emptyTally, type Tally } from "./results/tally.ts";
import { uploadSource } from "./sending/upload-source.ts";
import { workspaceOf } from "../connection/workspace.ts";

/** Documents whose jobs are followed while the next ones are sent: a slow document does not leave the line idle. */
const followedAtOnce = 16;
/** Reading and hashing keep one core busy; the other one has the service's answers to wait for. */
const hashedAtOnce = 2;

export interface UploadSettings
  extends DocumentOptions, Pick<Run, "server" | "signal" | "wait" | "force" | "patienceMs"> {
  /** Documents that are sent at the same time. */
  readonly atOnce: number;
  readonly saved: SavedUploads;
  readonly view: ProgressView;
  /** What is to be done in all, for the totals; undefined: not counted. */
  readonly expected?: () => Expected | undefined;
  /** `tally` counts it already. */
  readonly onResult: (result: UploadResult, tally: Tally) => void;
  /** A remark that the user should read once. */
  readonly onNote: (text: string) => void;
}

/**
 * Uploads documents, a few at a time, as they are found. One document's failure does not stop the others; an abort
 * stops all and rejects with its reason.
 */
export async function uploadFiles(
  drs: Drs,
  sources: AsyncIterable<Source | Unreadable>,
  settings: UploadSettings,
): Promise<Tally> {
  const { atOnce, view, expected = () => undefined, onResult } = settings;
  let tally = emptyTally;
  const board = createBoard(view, tally, expected);
  const run = await createRun(drs, settings, (away) => board.away(away));
  try {
    await inLanes(sources, atOnce + followedAtOnce, async (source) => {
      const row = board.open(source.label);
      const result = await uploadOrFail(source, run, (step) => row.show(step));
      tally = counted(tally, result);
      row.close(stateOf(result), noteOf(result), tally);
      onResult(result, tally);
    });
    return tally;
  } finally {
    await board.close();
    await settings.saved.settled();
  }
}

async function createRun(drs: Drs, settings: UploadSettings, onAway: (away: boolean) => void): Promise<Run> {
  const { signal, patienceMs, atOnce, saved, vectorize, onNote } = settings;
  const once = new Set<string>();
  const noteOnce = (text: string): void => {
    if (!once.has(text)) onNote(text);
    once.add(text);
  };
  const workspaceId = workspaceOf(drs, signal);
  const listed = await saved.list();
  const unfinished = listed.length === 0 ? [] : savedUploadsIn(listed, await workspaceId());
  return {
    ...settings,
    drs,
    workspaceId,
    retryPolicy: createRetryPolicy({ patienceMs, signal, onAway }),
    hashing: createGate(hashedAtOnce),
    sending: createGate(atOnce),
    sent: new Map(),
    findStored: forgiving(findStored(drs, { vectorize, signal }), noteOnce),
    unfinished: new Map(unfinished.map((upload) => [upload.state.key, upload])),
    onUnsaved: (cause) =>
      noteOnce(
        `the state of uploads cannot be kept, an interruption starts them over: ${describeFailure(cause).message}`,
      ),
  };
}

/** A key that may only write can upload all the same. */
function forgiving(
  find: (sha256: string) => Promise<Stored | undefined>,
  noteOnce: (text: string) => void,
): (sha256: string) => Promise<Stored | undefined> {
  return async (sha256) => {
    try {
      return await find(sha256);
    } catch (cause) {
      if (!isDrsError(cause) || cause.code !== "permission_denied") throw cause;
      noteOnce("the API key may not read, so what is already there cannot be recognised and is sent again");
      return undefined;
    }
  };
}

async function uploadOrFail(
  source: Source | Unreadable,
  run: Run,
  show: Parameters<typeof uploadSource>[2],
): Promise<UploadResult> {
  const { signal, retryPolicy } = run;
  signal.throwIfAborted();
  try {
    if (source.kind === "unreadable") throw source.cause;
    if (retryPolicy.lost !== undefined) throw notTried(retryPolicy.lost);
    return await uploadSource(source, run, show);
  } catch (cause) {
    signal.throwIfAborted();
    const bytes = source.kind === "file" ? source.size : 0;
    const job: Job | undefined = cause instanceof LostSight ? cause.job : undefined;
    return { file: nameOfSource(source), bytes, outcome: "failed", failure: failureOf(cause, source, run), job };
  }
}

function failureOf(cause: unknown, source: Source | Unreadable, run: Run): Failure {
  if (cause instanceof LostSight) return cause.failure();
  const failure = describeFailure(cause);
  const left = source.kind === "file" ? unfinishedUploadOf(source, run) : undefined;
  return left === undefined ? failure : { ...failure, next: `go on with: drs uploads resume ${left.state.key}` };
}

/** Of files whose turn came after the service was lost. */
function notTried(lost: unknown): CliError {
  const { message, next, exitCode } = describeFailure(lost);
  return new CliError(`not tried: ${message}`, { next, exitCode });
}

function stateOf(result: UploadResult): ProgressRow["state"] {
  if (hasFailed(result)) return "failed";
  if (failedPages(result).length > 0) return "partly";
  return result.outcome === "skipped" ? "skipped" : "done";
}
