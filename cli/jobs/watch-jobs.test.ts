import type { Job } from "@drs/client";
import { expect, test } from "vitest";
import { exitCodes } from "../exit-codes.ts";
import { exitCodeOfJobs, isWorthRetrying } from "./watch-jobs.ts";

type Ending = Pick<Job, "status" | "failures" | "canceledAt">;

const whole: Ending = { status: "SUCCESS", failures: [], canceledAt: null };
const holed: Ending = { ...whole, failures: [{ page: 3, reason: "too large" }] };
const failed: Ending = { ...whole, status: "ERROR" };

test.each([
  ["nothing to do", [], exitCodes.ok],
  ["all whole", [whole, whole], exitCodes.ok],
  ["failed pages", [whole, holed], exitCodes.partly],
  ["one failed", [whole, failed], exitCodes.partly],
  ["failed pages beside a failure", [holed, failed], exitCodes.partly],
  ["all failed", [failed, failed], exitCodes.failed],
])("%s", (_, jobs, code) => {
  expect(exitCodeOfJobs(jobs)).toBe(code);
});

test.each([
  ["whole", whole, false],
  ["with failed pages", holed, true],
  ["failed", failed, true],
  ["cancelled", { ...failed, canceledAt: 5 }, false],
  ["still at work, with failed pages", { ...holed, status: "IN_PROGRESS" as const }, false],
])("a job that is %s", (_, job, worth) => {
  expect(isWorthRetrying(job)).toBe(worth);
});
