import { basename } from "node:path";
import type { Drs, Job } from "@drs/client";
import { mapBounded } from "../bounded.ts";
import { describeFailure, type Failure } from "../failures.ts";
import { formatBytes } from "../output/amounts.ts";
import type { ProgressRow } from "../ui/progress-row.ts";
import { jobRow } from "./job-progress.ts";

/** Enough to keep a server busy, few enough for one disk and one line. */
const filesAtOnce = 4;

export interface UploadSettings {
  readonly vectorize: boolean;
  /** Follow each job to its end. */
  readonly wait: boolean;
  readonly expiresInDays: number | undefined;
  readonly signal: AbortSignal;
  /** All rows, whenever one changes. */
  readonly onChange: (rows: readonly ProgressRow[]) => void;
  readonly onResult: (result: UploadResult) => void;
}

/** How the upload of one file ended. */
export type UploadResult =
  | { readonly file: string; readonly job: Job; readonly failure?: undefined }
  | { readonly file: string; readonly job?: undefined; readonly failure: Failure };

/** Uploads files, a few at a time. One file's failure does not stop the others; an abort stops all. */
export async function uploadFiles(
  drs: Drs,
  files: readonly string[],
  settings: UploadSettings,
): Promise<UploadResult[]> {
  const { signal, onChange, onResult } = settings;
  const rows = new Map<number, ProgressRow>(
    files.map((file, index) => [
      index,
      { id: String(index), label: basename(file), state: "waiting", note: "waiting" },
    ]),
  );
  return mapBounded(files, filesAtOnce, async (file, index) => {
    const show = (row: ProgressRow): void => {
      // Finished rows stand in the order of their end: what has been printed stays where it is.
      if (row.state !== "active") rows.delete(index);
      rows.set(index, { ...row, id: String(index) });
      onChange([...rows.values()]);
    };
    let result: UploadResult;
    try {
      result = { file, job: await uploadOne(drs, file, settings, show) };
    } catch (cause) {
      signal.throwIfAborted();
      const failure = describeFailure(cause);
      result = { file, failure };
      show({ id: "", label: basename(file), state: "failed", note: failure.message });
    }
    onResult(result);
    return result;
  });
}

async function uploadOne(
  drs: Drs,
  file: string,
  { vectorize, wait, expiresInDays, signal }: UploadSettings,
  show: (row: ProgressRow) => void,
): Promise<Job> {
  const label = basename(file);
  const accepted = await drs.datasets.upload(file, {
    vectorize,
    expiresInDays,
    signal,
    onProgress({ sentBytes, totalBytes = 0 }) {
      const fraction = totalBytes === 0 ? 1 : sentBytes / totalBytes;
      show({
        id: "",
        label,
        state: "active",
        note: "uploading",
        fraction,
        amount: `${formatBytes(sentBytes)} of ${formatBytes(totalBytes)}`,
      });
    },
  });
  if (!wait) {
    show({ id: "", label, state: "done", note: `accepted as ${accepted.datasetId}` });
    return accepted;
  }
  return drs.jobs.wait(accepted.id, { signal, onUpdate: (job) => show(jobRow(job, label)) });
}
