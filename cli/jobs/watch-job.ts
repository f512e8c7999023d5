import type { Job } from "@drs/client";
import type { Session } from "../commands/command.ts";
import { openProgress } from "../ui/progress.ts";
import { followJob } from "./follow-job.ts";

/** Follows a job on the screen, or as one line of JSON per state. Resolves with the finished job. */
export async function watchJob(
  { drs, output, io }: Session,
  { id, label, patienceMs }: { id: string; label: string; patienceMs: number },
): Promise<Job> {
  const view = output.json ? undefined : await openProgress(io, false);
  try {
    return await followJob(drs, id, {
      label,
      signal: io.signal,
      patienceMs,
      onState: output.event,
      onRow: (row) => view?.update([row]),
    });
  } finally {
    await view?.close();
  }
}
