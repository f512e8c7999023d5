import { type ExitCode, exitCodes } from "../../exit-codes.ts";
import { count, formatBytes, formatDuration } from "../../output/amounts.ts";
import { exitCodeOf, failedPages, hasFailed, type UploadResult } from "./outcome.ts";

/** Counts of all results, so that the results themselves need not be kept. */
export interface Tally {
  readonly uploaded: number;
  /** Documents that were already stored and have been made searchable. */
  readonly vectorized: number;
  readonly skipped: number;
  readonly failed: number;
  /** Files that were found and are not wanted: other formats, excluded. */
  readonly leftOut: number;
  /** Pages of uploaded and vectorized documents. */
  readonly pages: number;
  readonly failedPages: number;
  /** Bytes of uploaded documents. */
  readonly sentBytes: number;
  /** Bytes of all ended files, whatever their outcome. */
  readonly endedBytes: number;
  /** Files that could not be sent because of the key. */
  readonly locked: number;
}

export const emptyTally: Tally = {
  uploaded: 0,
  vectorized: 0,
  skipped: 0,
  failed: 0,
  leftOut: 0,
  pages: 0,
  failedPages: 0,
  sentBytes: 0,
  endedBytes: 0,
  locked: 0,
};

export function counted(tally: Tally, result: UploadResult): Tally {
  const failed = hasFailed(result);
  const kind = failed ? "failed" : result.outcome;
  const pages = failed || result.outcome === "skipped" ? 0 : (result.job?.progress.pagesTotal ?? 0);
  return {
    ...tally,
    [kind]: tally[kind] + 1,
    pages: tally.pages + pages,
    failedPages: tally.failedPages + failedPages(result).length,
    sentBytes: tally.sentBytes + (result.outcome === "uploaded" ? result.bytes : 0),
    endedBytes: tally.endedBytes + result.bytes,
    locked: tally.locked + (exitCodeOf(result) === exitCodes.auth ? 1 : 0),
  };
}

export function endedFiles({ uploaded, vectorized, skipped, failed }: Tally): number {
  return uploaded + vectorized + skipped + failed;
}

export function exitCodeOfAll(tally: Tally): ExitCode {
  // No file was found, which is more likely a wrong name or pattern than an empty folder.
  if (endedFiles(tally) === 0) return exitCodes.failed;
  if (tally.failed === 0) return tally.failedPages === 0 ? exitCodes.ok : exitCodes.partly;
  if (tally.failed < endedFiles(tally)) return exitCodes.partly;
  return tally.locked === tally.failed ? exitCodes.auth : exitCodes.failed;
}

/** Returns the whole run in one line. */
export function tallyLine(tally: Tally, durationMs: number): string {
  const { uploaded, vectorized, skipped, failed, leftOut, pages, sentBytes } = tally;
  if (endedFiles(tally) === 0)
    return `nothing to upload: no document was found${leftOut === 0 ? "" : `, and ${count(leftOut, "other file")} left out`}`;
  const amounts = [
    ...(pages === 0 || vectorized > 0 ? [] : [count(pages, "page")]),
    ...(sentBytes === 0 ? [] : [formatBytes(sentBytes)]),
  ];
  const parts = [
    `${uploaded} uploaded${amounts.length === 0 ? "" : ` (${amounts.join(", ")})`}`,
    ...(vectorized === 0 ? [] : [`${vectorized} made searchable`]),
    ...(skipped === 0 ? [] : [`${skipped} already there`]),
    ...(failed === 0 ? [] : [`${failed} failed`]),
    ...(leftOut === 0 ? [] : [`${count(leftOut, "other file")} left out`]),
  ];
  return `${parts.join(", ")} in ${formatDuration(durationMs)}`;
}
