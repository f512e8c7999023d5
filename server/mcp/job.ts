import type { Job } from "@drs/client";
import { z } from "zod";
import { clip } from "./budget.ts";

/** A job as tools describe it. */
export const jobOutput = z.object({
  jobId: z.string(),
  datasetId: z.string(),
  status: z.enum(["NOT_STARTED", "IN_QUEUE", "IN_PROGRESS", "SUCCESS", "ERROR"]),
  statusText: z.string().nullable().describe("the reason after an error"),
  stage: z.string(),
  pagesDone: z.int(),
  pagesTotal: z.int().describe("0 until the document has been opened"),
  failedPages: z.array(z.object({ page: z.int(), reason: z.string() })).describe("the first that could not be read"),
  failedPageCount: z.int(),
  warnings: z
    .array(z.object({ code: z.string(), message: z.string(), page: z.int().optional() }))
    .describe("what the document has and its pages do not show as it is; tell the user"),
});

/** Maximum number of listed pages; a document of ten thousand may have as many bad ones. */
const maxFailures = 50;

export function describeJob(job: Job): z.infer<typeof jobOutput> {
  const { id, datasetId, status, statusText, progress, failures, warnings } = job;
  return {
    jobId: id,
    datasetId,
    status,
    statusText: statusText === null ? null : clip(statusText),
    stage: progress.stage,
    pagesDone: progress.pagesDone,
    pagesTotal: progress.pagesTotal,
    failedPages: failures.slice(0, maxFailures).map(({ page, reason }) => ({ page, reason: clip(reason, 300) })),
    failedPageCount: failures.length,
    warnings: warnings.map((warning) => ({ ...warning, message: clip(warning.message, 300) })),
  };
}
