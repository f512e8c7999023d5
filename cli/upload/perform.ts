import type { Session } from "../commands/command.ts";
import type { ExitCode } from "../exit-codes.ts";
import { isDrsError } from "../failures.ts";
import { openProgress } from "../ui/progress.ts";
import type { ProgressView } from "../ui/progress-row.ts";
import { canRedraw } from "../world.ts";
import type { Expected } from "./progress/board.ts";
import { createClosing } from "./results/closing.ts";
import { jsonOf, resultLines } from "./results/outcome.ts";
import type { Report } from "./results/report.ts";
import { openSavedUploads } from "./sessions/saved-uploads.ts";
import type { Source, Unreadable } from "./sources/source.ts";
import { emptyTally, exitCodeOfAll } from "./results/tally.ts";
import { uploadFiles, type UploadSettings } from "./upload-files.ts";

type FromCommand = Omit<UploadSettings, "signal" | "saved" | "view" | "expected" | "onResult" | "onNote">;

/** An upload as a command wants it. */
export interface Performance extends FromCommand {
  readonly sources: AsyncIterable<Source | Unreadable>;
  /** Starts to count what there is in all; asked only where that is shown. */
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
export async function perform(session: Session, performance: Performance): Promise<ExitCode> {
  const { drs, output, world } = session;
  const { sources, single, brief, report, leftOut, expect } = performance;
  const { signal } = world;
  const redrawn = !output.json && canRedraw(world.stderr, world.env);
  // On a terminal the row of a document that ended is its line.
  const shownByRow = !output.json && world.stderr.isTTY === true && world.stdout.isTTY === true;
  const saved = openSavedUploads(world.env);
  const closing = createClosing(output, { single, shownByRow });
  await checkService(session);
  const view = output.json ? unseen : await openProgress(world, false, { brief });
  let tally = emptyTally;
  const summarize = (): void => {
    const summary = closing.summary({ ...tally, leftOut: leftOut() }, signal.aborted);
    report?.add(summary);
    if (!single) output.event(summary);
  };
  try {
    await uploadFiles(drs, sources, {
      ...performance,
      signal,
      saved,
      view,
      ...(redrawn ? { expected: expect() } : {}),
      onNote: (text) => output.note(text),
      onResult(result, soFar) {
        tally = soFar;
        const line = jsonOf(result);
        output.event(line);
        report?.add(line);
        closing.add(result);
        if (!shownByRow) for (const text of resultLines(result)) output.line(text);
      },
    });
  } catch (cause) {
    summarize();
    await report?.close();
    if (signal.aborted) await closing.interrupted({ ...tally, leftOut: leftOut() }, saved);
    throw cause;
  }
  summarize();
  await report?.close();
  closing.done({ ...tally, leftOut: leftOut() });
  return exitCodeOfAll(tally);
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
