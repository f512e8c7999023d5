import type { Drs } from "@drs/client";
import type { Session } from "../commands/command.ts";
import type { ExitCode } from "../exit-codes.ts";
import { isDrsError } from "../failures.ts";
import { openProgress } from "../ui/progress.ts";
import type { ProgressView } from "../ui/progress-row.ts";
import { canRedraw } from "../world.ts";
import { inLanes } from "./lanes.ts";
import { createBoard, type Expected } from "./progress/board.ts";
import type { UploadResult } from "./results/outcome.ts";
import type { Report } from "./results/report.ts";
import { createResults } from "./results/results.ts";
import { createSender, type SenderSettings } from "./sending/sender.ts";
import { openSavedUploads } from "./sessions/saved-uploads.ts";
import type { Source, Unreadable } from "./sources/source.ts";

/** Documents whose jobs are followed while the next ones are sent: a slow document does not leave the line idle. */
const followedAtOnce = 16;

export interface FileRun extends Omit<SenderSettings, "onAway"> {
  readonly sources: AsyncIterable<Source | Unreadable>;
  readonly view: ProgressView;
  /** What is to be done in all, for the totals; undefined: not counted. */
  readonly expected?: () => Expected | undefined;
  readonly onResult: (result: UploadResult) => void;
}

/**
 * Uploads documents, a few at a time, as they are found. One document's failure does not stop the others; an abort
 * stops all and rejects with its reason.
 */
export async function uploadFiles(drs: Drs, run: FileRun): Promise<void> {
  const { sources, view, expected = () => undefined, onResult, atOnce, saved } = run;
  const board = createBoard(view, expected);
  try {
    const send = await createSender(drs, { ...run, onAway: (away) => board.away(away) });
    await inLanes(sources, atOnce + followedAtOnce, async (source) => {
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

/** An upload as a command asks for it. */
export interface UploadRun extends Omit<FileRun, "signal" | "saved" | "view" | "expected" | "onResult" | "onNote"> {
  /** Starts to count what there is in all; called only where that is shown. */
  readonly expect: () => () => Expected;
  /** One document, whose line says it all. */
  readonly single: boolean;
  /** Tell only how each document ended where lines cannot be redrawn. */
  readonly brief: boolean;
  readonly report: Report | undefined;
  /** Files that were found and not wanted, so far. */
  readonly leftOut: () => number;
}

/** Uploads with everything around it: progress, results, report, and what to do after failures and interruptions. */
export async function runUpload(session: Session, run: UploadRun): Promise<ExitCode> {
  const { drs, output, world } = session;
  const { signal, stdout, stderr, env } = world;
  const { single, brief, report, leftOut } = run;
  const shownByRow = !output.json && stderr.isTTY === true && stdout.isTTY === true;
  const saved = openSavedUploads(env);
  const results = createResults(output, { single, shownByRow, report, leftOut });
  await checkService(session);
  const view = output.json ? unseen : await openProgress(world, false, { brief, endings: shownByRow });
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

/** Nothing is tried again and again against a service that is not there, or with a key that opens nothing. */
async function checkService({ drs, world }: Session): Promise<void> {
  try {
    await drs.datasets.page({ limit: 1 }, { signal: world.signal });
  } catch (cause) {
    // A key that may write but not read can upload.
    if (!isDrsError(cause) || cause.code !== "permission_denied") throw cause;
  }
}

const unseen: ProgressView = { update: () => undefined, close: () => Promise.resolve() };
