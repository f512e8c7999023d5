import type { Drs } from "@drs/client";
import type { Session } from "../commands/command.ts";
import type { ExitCode } from "../exit-codes.ts";
import { isDrsError } from "../failures.ts";
import { noProgress, openProgress } from "../ui/progress.ts";
import type { ProgressView } from "../ui/progress-row.ts";
import { canRedraw } from "../command-io.ts";
import { forEachConcurrent } from "./lanes.ts";
import { createBoard, type Expected } from "./progress/board.ts";
import type { UploadResult } from "./results/outcome.ts";
import { createResults, type Report } from "./results/results.ts";
import { followedAtOnce } from "./sending/follow.ts";
import { createSender, type SenderSettings } from "./sending/sender.ts";
import { openSavedUploads } from "./sessions/saved-uploads.ts";
import type { Source, Unreadable } from "./sources/source.ts";

interface FileRun extends Omit<SenderSettings, "onAway"> {
  readonly sources: AsyncIterable<Source | Unreadable>;
  readonly view: ProgressView;
  /** The total amount of work; undefined if it is not counted. */
  readonly expected?: () => Expected | undefined;
  readonly onResult: (result: UploadResult) => void;
}

/**
 * Uploads documents as they are found, a few at a time. One document's failure does not stop the others; an abort stops
 * all and rejects with its reason.
 */
export async function uploadFiles(drs: Drs, run: FileRun): Promise<void> {
  const { sources, view, expected = () => undefined, onResult, atOnce, saved } = run;
  const board = createBoard(view, expected);
  try {
    const send = await createSender(drs, { ...run, onAway: (away) => board.away(away) });
    await forEachConcurrent(sources, atOnce + followedAtOnce, async (source) => {
      const row = board.open(source.label);
      const result = await send(source, row.show);
      row.end(result);
      onResult(result);
    });
  } finally {
    await board.close();
    await saved.settled();
  }
}

/** Options of an upload. */
interface UploadRun extends Omit<FileRun, "signal" | "saved" | "view" | "expected" | "onResult" | "onNote"> {
  /** Starts to count everything; called only if the total is shown. */
  readonly expect: () => () => Expected;
  /** Whether there is only one document, which needs no summary. */
  readonly single: boolean;
  /** If lines cannot be redrawn, prints only how each document ended. */
  readonly brief: boolean;
  readonly report: Report | undefined;
  /** Number of files found so far that are not wanted. */
  readonly leftOut: () => number;
}

/** Runs an upload with progress, results, report, and advice after failures and interruptions. */
export async function runUpload(session: Session, run: UploadRun): Promise<ExitCode> {
  const { drs, output, io } = session;
  const { signal, stdout, stderr, env } = io;
  const { single, brief, report, leftOut } = run;
  const shownByRow = !output.json && stderr.isTTY === true && stdout.isTTY === true;
  const saved = openSavedUploads(env);
  const results = createResults(output, { single, shownByRow, report, leftOut });
  await checkService(session);
  const view = output.json ? noProgress : await openProgress(io, false, { brief, endings: shownByRow });
  try {
    await uploadFiles(drs, {
      ...run,
      signal,
      saved,
      view,
      ...(!output.json && canRedraw(stderr, env) ? { expected: run.expect() } : {}),
      onNote: (text) => output.note(text),
      onResult: (result) => results.add(result),
    });
  } catch (cause) {
    await results.breakOff({ interrupted: signal.aborted, saved });
    throw cause;
  }
  return results.finish();
}

/**
 * Checks the service once, so that nothing is retried against a service that does not exist, or with an invalid key.
 */
async function checkService({ drs, io }: Session): Promise<void> {
  try {
    await drs.datasets.page({ limit: 1 }, { signal: io.signal });
  } catch (cause) {
    // A key without the read scope can still upload.
    if (!isDrsError(cause) || cause.code !== "permission_denied") throw cause;
  }
}
