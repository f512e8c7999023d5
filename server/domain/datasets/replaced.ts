import { conflict } from "../errors.ts";
import type { DatasetId } from "../ids.ts";
import type { VersionOutcome } from "../ports/datasets.ts";
import { noSuchDataset } from "./get.ts";

/** Why a dataset gets no new version now. */
export function refuseVersion(id: DatasetId, outcome: Exclude<VersionOutcome, "created">): Error {
  switch (outcome) {
    case "gone":
      return noSuchDataset(id);
    case "pending":
      return conflict(`a new version of dataset ${id} is being read; wait for its job, or cancel it`);
    case "at work":
      return conflict(`dataset ${id} is being worked on; give it a new version when its job has ended, or cancel that`);
  }
}
