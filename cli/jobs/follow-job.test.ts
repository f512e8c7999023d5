import type { Job } from "@drs/client";
import { expect, test } from "vitest";
import { createJobRows } from "./follow-job.ts";

const job = (stage: string, pagesDone: number, status: Job["status"] = "IN_PROGRESS"): Job => ({
  id: "dsj_1",
  datasetId: "ds_1",
  type: "datasets/vectorize",
  status,
  statusText: null,
  progress: { stage, pagesDone, pagesTotal: 100 },
  failures: [],
  warnings: [],
  createdAt: 0,
  startedAt: 0,
  updatedAt: 0,
  finishedAt: null,
  canceledAt: null,
});

test("the time left follows the speed of the stage", () => {
  let now = 0;
  const rowOf = createJobRows("a.pdf", () => now);
  const amounts = [];
  for (const [at, stage, pages] of [
    [0, "read", 0],
    [500, "read", 40],
    [1_500, "read", 90],
    [2_000, "embed", 0],
    [7_000, "embed", 10],
    [12_000, "embed", 20],
    [12_100, "embed", 100],
  ] as const) {
    now = at;
    const { amount, left } = rowOf(job(stage, pages));
    amounts.push(left === undefined ? amount : `${amount}, ${left}`);
  }
  expect(amounts).toEqual([
    "0 of 100 pages",
    // Too little time for an estimate.
    "40 of 100 pages",
    // Less than a second is left.
    "90 of 100 pages",
    "0 of 100 pages",
    "10 of 100 pages, 45 s left",
    "20 of 100 pages, 40 s left",
    "100 of 100 pages",
  ]);
});

test("a job that has ended, or stands still, has no time left", () => {
  let now = 0;
  const rowOf = createJobRows("a.pdf", () => now);
  rowOf(job("embed", 10));
  now = 5_000;
  expect(rowOf(job("embed", 10)).amount).toBe("10 of 100 pages");
  expect(rowOf(job("done", 100, "SUCCESS"))).toMatchObject({ state: "done", note: "100 pages" });
});
