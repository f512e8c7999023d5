import { actOf } from "../audit/event.ts";
import type { Caller } from "../caller.ts";
import { conflict } from "../errors.ts";
import type { DatasetId } from "../ids.ts";
import { type Job, publicDatasetId } from "../jobs/job.ts";
import type { Replacement, VersionOutcome } from "../ports/datasets.ts";
import { noSuchDataset } from "./get.ts";
import { changeable } from "./view.ts";

/** That the caller has a dataset get a new version, which the job reads. By now the dataset may have left the caller's view. */
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

/** Why a dataset gets no new version now. */
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
