import { actOf } from "../audit/event.ts";
import type { Caller } from "../caller.ts";
import { conflict } from "../errors.ts";
import type { DatasetId } from "../ids.ts";
import { type Job, publicDatasetId } from "../jobs/job.ts";
import type { Replacement, VersionOutcome } from "../ports/datasets.ts";
import { noSuchDataset } from "./get.ts";
import { changeable } from "./view.ts";

/**
 * The audit entry and the view check for a new version that `job` reads; the dataset may have left the caller's
 * view by then.
 */
export function replacing(caller: Caller, job: Job): Replacement {
  const details = `job ${job.id} reads a new version`;
  const act = {
    action: "dataset.replace",
    target: publicDatasetId(job),
    workspaceId: job.workspaceId,
    details,
  } as const;
  return { event: actOf(caller, act, job.createdAt), isMeant: changeable(caller) };
}

/** The error for a dataset that cannot get a new version now. */
export function refuseVersion(id: DatasetId, outcome: Exclude<VersionOutcome, "created">): Error {
  switch (outcome) {
    case "gone":
      return noSuchDataset(id);
    case "pending":
      return conflict(`a new version of dataset ${id} is being read; wait for its job, or cancel it`, {
        reason: "JOB_RUNNING",
      });
    case "at work":
      return conflict(
        `dataset ${id} is being worked on; give it a new version when its job has ended, or cancel that`,
        { reason: "JOB_RUNNING" },
      );
  }
}
