import { exitCodes } from "../../exit-codes.ts";
import type { Output } from "../../output/output.ts";
import { printable } from "../../output/printable.ts";
import { hasFailed, resultLines, type UploadResult } from "./outcome.ts";
import type { SavedUploads } from "../sessions/saved-uploads.ts";
import { endedFiles, exitCodeOfAll, type Tally, tallyLine } from "./tally.ts";

/** The last words of a run. */
export interface Closing {
  add(result: UploadResult): void;
  /** The run as one line of JSON. */
  summary(tally: Tally, interrupted: boolean): object;
  /** All documents have ended. */
  done(tally: Tally): void;
  /** Some have not. */
  interrupted(tally: Tally, saved: SavedUploads): Promise<void>;
}

/** Failures that are said again at the end, where they have scrolled away; a report has all of them. */
const maxRepeatedFailures = 20;
/** Different things to do next: more are noise. */
const maxAdvice = 5;

export function createClosing(
  output: Output,
  { single, shownByRow }: { single: boolean; shownByRow: boolean },
): Closing {
  const startedAt = Date.now();
  const failures: UploadResult[] = [];
  const advice = new Set<string>();
  let failed = 0;
  return {
    add(result) {
      if (!hasFailed(result) && !(shownByRow && resultLines(result).length > 1)) return;
      failed += 1;
      if (failures.length < maxRepeatedFailures) failures.push(result);
      if (result.outcome === "failed" && result.failure.next !== "") advice.add(result.failure.next);
    },
    summary: (tally, interrupted) => {
      const { locked: _, endedBytes: __, ...counts } = tally;
      return {
        summary: {
          files: endedFiles(tally),
          ...counts,
          durationMs: Date.now() - startedAt,
          interrupted,
          exitCode: interrupted ? exitCodes.interrupted : exitCodeOfAll(tally),
        },
      };
    },
    done(tally) {
      if (output.json) return;
      // Rows of progress are cut to the width of the screen, and have scrolled away.
      if (shownByRow) for (const result of failures) for (const line of resultLines(result)) output.note(line);
      if (shownByRow && failed > failures.length)
        output.note(`and ${failed - failures.length} more; --report FILE keeps all of them`);
      for (const next of [...advice].slice(0, maxAdvice)) output.note(`  → ${printable(next)}`);
      if (!single) output.note(tallyLine(tally, Date.now() - startedAt));
    },
    async interrupted(tally, saved) {
      if (!single && !output.json) output.note(tallyLine(tally, Date.now() - startedAt));
      const begun = (await saved.list()).filter(({ savedAt }) => savedAt >= startedAt);
      for (const { path, state } of begun)
        output.note(`${printable(path)} is not sent entirely; go on with: drs uploads resume ${state.key}`);
      if (!single || begun.length === 0)
        output.note("the same command again goes on: what is there already is skipped");
      output.note("documents that were accepted are worked on all the same: drs jobs list");
    },
  };
}
