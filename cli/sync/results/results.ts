import { type ExitCode, exitCodes } from "../../exit-codes.ts";
import { describeFailure } from "../../failures.ts";
import type { Output } from "../../output/output.ts";
import { count, formatBytes, formatDuration } from "../../output/amounts.ts";
import { printable } from "../../output/printable.ts";
import { exitCodeOf, failedPages } from "../../upload/results/outcome.ts";
import type { Report } from "../../upload/results/results.ts";
import type { PlanCounts } from "../plan/describe.ts";
import { hasResultFailed, resultJson, resultText, type Step, type SyncResult, uploadOf } from "./result.ts";

/** The results of a sync, which are printed, reported and counted as the steps end. */
export interface SyncResults {
  /** Adds a result. `shown`: a progress row has already shown it. */
  add(result: SyncResult, shown: boolean): void;
  /** Records what a plan leaves unchanged. */
  left(counts: PlanCounts, leftOut: number): void;
  /** Ends the run, early if there is a cause. Rejects if the report could not be written. */
  finish(cause?: unknown): Promise<ExitCode>;
}

/** Numbers of files that a sync leaves as they are. */
type Left = Pick<PlanCounts, "unchanged" | "refusedBefore" | "failedBefore" | "kept" | "keptAdopted"> & {
  readonly leftOut: number;
};

/** Maximum number of pieces of advice. */
const maxAdvice = 5;

export function createSyncResults(output: Output, report: Report | undefined): SyncResults {
  const startedAt = Date.now();
  const steps = new Map<Step, number>();
  const advice = new Set<string>();
  let left: Left = { unchanged: 0, refusedBefore: 0, failedBefore: 0, kept: 0, keptAdopted: 0, leftOut: 0 };
  let failed = 0;
  let locked = 0;
  let lostPages = 0;
  let sentBytes = 0;
  const done = (step: Step): number => steps.get(step) ?? 0;
  const ended = (): number => [...steps.values()].reduce((sum, amount) => sum + amount, left.unchanged);

  const exitCode = (): ExitCode => {
    if (failed === 0) return lostPages === 0 ? exitCodes.ok : exitCodes.partly;
    if (ended() > 0) return exitCodes.partly;
    return locked === failed ? exitCodes.auth : exitCodes.failed;
  };

  return {
    add(result, shown) {
      const upload = uploadOf(result);
      if (hasResultFailed(result)) {
        failed += 1;
        locked += exitCodeOf(upload) === exitCodes.auth ? 1 : 0;
        if (result.failure !== undefined && result.failure.next !== "") advice.add(result.failure.next);
      } else steps.set(result.step, done(result.step) + 1);
      lostPages += failedPages(upload).length;
      if (result.failure === undefined) sentBytes += result.bytes;
      const json = resultJson(result);
      output.event(json);
      report?.add(json);
      if (!shown) for (const text of resultText(result)) output.line(text);
    },
    left({ unchanged, refusedBefore, failedBefore, kept, keptAdopted }, leftOut) {
      left = { unchanged, refusedBefore, failedBefore, kept, keptAdopted, leftOut };
    },
    async finish(cause) {
      const code = cause === undefined ? exitCode() : describeFailure(cause).exitCode;
      const summary = {
        summary: {
          ...Object.fromEntries(countedSteps.map((step) => [step, done(step)])),
          failed,
          ...left,
          failedPages: lostPages,
          sentBytes,
          durationMs: Date.now() - startedAt,
          interrupted: code === exitCodes.interrupted,
          exitCode: code,
        },
      };
      report?.add(summary);
      output.event(summary);
      await report?.close();
      if (output.json) return code;
      for (const next of [...advice].slice(0, maxAdvice)) output.note(`  → ${printable(next)}`);
      output.note(summaryLine({ done, failed, sentBytes, left, durationMs: Date.now() - startedAt }));
      return code;
    },
  };
}

const countedSteps: readonly Step[] = [
  "uploaded",
  "changed",
  "renamed",
  "adopted",
  "followed",
  "vectorized",
  "cleaned",
  "deleted",
];

/** The sums of a sync that has ended. */
interface Sums {
  readonly done: (step: Step) => number;
  readonly failed: number;
  readonly sentBytes: number;
  readonly left: Left;
  readonly durationMs: number;
}

function summaryLine({ done, failed, sentBytes, left, durationMs }: Sums): string {
  const stay = left.kept + left.keptAdopted;
  const part = (amount: number, text: string): readonly string[] => (amount === 0 ? [] : [`${amount} ${text}`]);
  const parts = [
    `${done("uploaded")} uploaded`,
    ...part(done("changed"), "changed"),
    ...(sentBytes === 0 ? [] : [`${formatBytes(sentBytes)} sent`]),
    ...part(done("renamed"), "renamed"),
    ...part(done("adopted"), "already there"),
    ...part(done("followed"), "ended"),
    ...part(done("vectorized"), "made searchable"),
    ...part(done("deleted"), "deleted"),
    ...part(failed, "failed"),
    ...part(left.unchanged, "unchanged"),
    ...part(left.refusedBefore, "refused before"),
    ...part(left.failedBefore, "whose job failed before"),
    ...(stay === 0 ? [] : [`${count(stay, "removed file")} whose documents stay`]),
    ...(left.leftOut === 0 ? [] : [`${count(left.leftOut, "other file")} left out`]),
  ];
  return `${parts.join(", ")} in ${formatDuration(durationMs)}`;
}
