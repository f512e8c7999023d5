import type { Job } from "@drs/client";
import { expect, test } from "vitest";
import { pendingNote } from "./pending.ts";

const jobs = (...datasetIds: readonly string[]): Job[] =>
  datasetIds.map((datasetId, index) => ({
    id: `dsj_${index}`,
    datasetId,
    type: "datasets/vectorize",
    status: "IN_QUEUE",
    statusText: null,
    progress: { stage: "queue", pagesDone: 0, pagesTotal: 0 },
    failures: [],
    warnings: [],
    createdAt: 0,
    startedAt: null,
    finishedAt: null,
    canceledAt: null,
    updatedAt: null,
  }));

test.each([
  [[], undefined],
  [["ds_1"], "1 document is still being read, pages may be missing: drs jobs watch dsj_0"],
  [["ds_1", "ds_2"], "2 documents are still being read, pages may be missing: drs jobs watch dsj_0 dsj_1"],
  [["ds_1", "ds_2", "ds_3", "ds_3"], "3 documents are still being read, pages may be missing: drs jobs watch --all"],
])("of the jobs of %j it says %j", (datasetIds, note) => {
  expect(pendingNote(jobs(...datasetIds))).toBe(note);
});
