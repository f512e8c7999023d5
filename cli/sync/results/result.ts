import type { Job } from "@drs/client";
import type { Failure } from "../../failures.ts";
import { printable } from "../../output/printable.ts";
import { hasFailed, jsonOf, resultLines, type UploadResult } from "../../upload/results/outcome.ts";

/** The step that was done for a file. */
export type Step =
  | "uploaded"
  | "changed"
  | "renamed"
  | "adopted"
  | "followed"
  | "vectorized"
  | "cleaned"
  | "deleted"
  | "read";

/** How a step of a plan ended. */
export interface SyncResult {
  readonly step: Step;
  /** The folder as the user named it, and the path in it. */
  readonly file: string;
  /** Bytes; 0 if nothing was sent. */
  readonly bytes: number;
  /** The previous path. */
  readonly from?: string | undefined;
  readonly datasetIds: readonly string[];
  readonly job?: Job | undefined;
  readonly failure?: Failure | undefined;
  /** The service rejects it and will not be asked again until the file changes. */
  readonly refused?: true | undefined;
}

/** Returns the result in the form of an upload: a document with a job. */
export function uploadOf({ step, file, bytes, job, failure, datasetIds }: SyncResult): UploadResult {
  if (failure !== undefined) return { file, bytes, outcome: "failed", failure, job };
  if (job === undefined) return { file, bytes, outcome: "skipped", datasetId: datasetIds[0] ?? "" };
  return { file, bytes, outcome: step === "vectorized" ? "vectorized" : "uploaded", job };
}

export function hasResultFailed(result: SyncResult): boolean {
  return hasFailed(uploadOf(result));
}

/** Returns one line of `--json` and of the report. */
export function resultJson(result: SyncResult): object {
  const { step, file, from, datasetIds, job, failure, refused } = result;
  if (job !== undefined || failure !== undefined) {
    const { outcome: _, ...rest } = { outcome: "", ...jsonOf(uploadOf(result)) };
    return { ...rest, outcome: hasResultFailed(result) ? "failed" : step, step, ...(refused ? { refused } : {}) };
  }
  return { file, outcome: step, step, ...(from === undefined ? {} : { from }), datasetIds };
}

/** Returns the lines for a person. */
export function resultText(result: SyncResult): string[] {
  const { step, file, from, datasetIds, job, failure } = result;
  const not = { deleted: "not deleted", cleaned: "earlier contents not deleted", read: "not read" } as const;
  if (failure !== undefined && (step === "deleted" || step === "cleaned" || step === "read"))
    return [`${printable(file)}: ${not[step]}: ${printable(failure.message)}`];
  if (job !== undefined || failure !== undefined) return resultLines(uploadOf(result));
  const ids = datasetIds.join(", ");
  const said: Readonly<Record<Step, string>> = {
    uploaded: ids,
    changed: ids,
    followed: ids,
    vectorized: `${ids}, searchable already`,
    renamed: from === undefined ? `${ids} again` : `renamed from ${printable(from)} (${ids})`,
    adopted: `already there (${ids})`,
    cleaned: `earlier contents deleted (${ids})`,
    deleted: `deleted (${ids})`,
    read: "",
  };
  return [`${printable(file)}: ${said[step]}`];
}
