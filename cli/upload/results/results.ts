import { type ExitCode, exitCodes } from "../../exit-codes.ts";
import type { Output } from "../../output/output.ts";
import { printable } from "../../output/printable.ts";
import type { SavedUploads } from "../sessions/saved-uploads.ts";
import { jsonOf, resultLines, type UploadResult } from "./outcome.ts";
import { counted, emptyTally, endedFiles, exitCodeOfAll, tallyLine } from "./tally.ts";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { finished } from "node:stream/promises";

/** Writes the results of a run as lines of JSON to a file. */
export interface Report {
  add(value: object): void;
  /** Rejects if any line could not be written. */
  close(): Promise<void>;
}

/** Replaces the file. Rejects, before anything is uploaded, if it cannot be written. */
export async function openReport(path: string): Promise<Report> {
  const stream = createWriteStream(path);
  await once(stream, "open");
  // A failed write is reported at the end; until then the uploads continue.
  stream.on("error", () => undefined);
  return {
    add: (value) => void stream.write(`${JSON.stringify(value)}\n`),
    close: () => finished(stream.end()),
  };
}

/** The results of a run, which are printed, reported and counted as the documents end. */
export interface Results {
  add(result: UploadResult): void;
  /** Ends the run. Rejects if the report could not be written. */
  finish(): Promise<ExitCode>;
  /** Ends an incomplete run. */
  breakOff(interruption: { readonly interrupted: boolean; readonly saved: SavedUploads }): Promise<void>;
}

interface ResultSettings {
  /** Whether there is only one document, which needs no summary. */
  readonly single: boolean;
  /** On a terminal, the progress row of an ended document is its result. */
  readonly shownByRow: boolean;
  readonly report: Report | undefined;
  /** Number of files found so far that are not wanted. */
  readonly leftOut: () => number;
}

/** Maximum number of pieces of advice. */
const maxAdvice = 5;

export function createResults(output: Output, { single, shownByRow, report, leftOut }: ResultSettings): Results {
  const startedAt = Date.now();
  const advice = new Set<string>();
  let tally = emptyTally;

  const remember = (result: UploadResult): void => {
    if (result.outcome === "failed" && result.failure.next !== "") advice.add(result.failure.next);
  };
  const summarize = (interrupted: boolean): void => {
    const { locked: _, endedBytes: __, ...counts } = { ...tally, leftOut: leftOut() };
    const summary = {
      summary: {
        files: endedFiles(tally),
        ...counts,
        durationMs: Date.now() - startedAt,
        interrupted,
        exitCode: interrupted ? exitCodes.interrupted : exitCodeOfAll(tally),
      },
    };
    report?.add(summary);
    if (!single) output.event(summary);
  };
  const noteTally = (): void => {
    if (!single && !output.json) output.note(tallyLine({ ...tally, leftOut: leftOut() }, Date.now() - startedAt));
  };

  return {
    add(result) {
      tally = counted(tally, result);
      const line = jsonOf(result);
      output.event(line);
      report?.add(line);
      remember(result);
      if (!shownByRow) for (const text of resultLines(result)) output.line(text);
    },
    async finish() {
      summarize(false);
      await report?.close();
      if (output.json) return exitCodeOfAll(tally);
      for (const next of [...advice].slice(0, maxAdvice)) output.note(`  → ${printable(next)}`);
      noteTally();
      if (endedFiles(tally) === 0)
        output.note(
          "  → drs takes pdf, docx, pptx and xlsx; hidden files are left out, --include chooses others by name",
        );
      return exitCodeOfAll(tally);
    },
    async breakOff({ interrupted, saved }) {
      summarize(interrupted);
      await report?.close();
      if (!interrupted) return;
      noteTally();
      const begun = (await saved.list()).filter(({ savedAt }) => savedAt >= startedAt);
      for (const { path, state } of begun)
        output.note(`${printable(path)} is not sent completely; resume with: drs uploads resume ${state.key}`);
      if (!single || begun.length === 0)
        output.note("run the same command again to continue: stored documents are skipped");
      output.note("accepted documents are still processed: drs jobs list");
    },
  };
}
