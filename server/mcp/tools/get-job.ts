import type { Drs, Job } from "@drs/client";
import type { ServerContext } from "@modelcontextprotocol/server";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { clip, jsonBlock } from "../budget.ts";
import { answered } from "../failures.ts";
import { inputOf, type Register, tellProgress } from "../tool.ts";

/** A job as tools describe it. */
export const jobOutput = z.object({
  jobId: z.string(),
  datasetId: z.string(),
  status: z.enum(["NOT_STARTED", "IN_QUEUE", "IN_PROGRESS", "SUCCESS", "ERROR"]),
  statusText: z.string().nullable().describe("the reason after an error"),
  stage: z.string(),
  pagesDone: z.int(),
  pagesTotal: z.int().describe("0 until the document has been opened"),
  failedPages: z.array(z.object({ page: z.int(), reason: z.string() })).describe("first unreadable pages"),
  failedPageCount: z.int(),
  warnings: z
    .array(z.object({ code: z.string(), message: z.string(), page: z.int().optional() }))
    .describe("content that the pages lack or alter; tell the user"),
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

const description = `Report the progress of processing a document, by the jobId that add_document returned.
SUCCESS and ERROR are final. With waitSeconds the call returns when the job has ended, or after that time.`;

const input = inputOf({
  jobId: z.string().regex(/^dsj_[0-9a-z]{1,60}$/i, "an id of a job begins with dsj_"),
  waitSeconds: z.int().min(0).max(45).default(0).describe("maximum time to wait for the end"),
});

export const getJob: Register = (server, { drs: connect, report }) => {
  server.registerTool(
    "get_job",
    {
      title: "Get job",
      description,
      inputSchema: input,
      outputSchema: jobOutput,
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    async ({ jobId, waitSeconds }, context) => {
      const { signal } = context.mcpReq;
      return answered(
        async () => {
          const described = describeJob(await ended(await connect(), jobId, waitSeconds, context));
          return { content: [jsonBlock(described)], structuredContent: described };
        },
        { signal, report },
      );
    },
  );
};

/** The job when it has ended, or its state after the waiting time. */
async function ended(drs: Drs, jobId: string, waitSeconds: number, context: ServerContext): Promise<Job> {
  const { signal } = context.mcpReq;
  let job = await drs.jobs.get(jobId, { signal });
  const until = Date.now() + waitSeconds * 1_000;
  // Polls instead of watching: a stream would have to be kept open, and be ended when the server stops.
  while (job.status !== "SUCCESS" && job.status !== "ERROR" && Date.now() < until) {
    const { stage, pagesDone, pagesTotal } = job.progress;
    await tellProgress(context, { done: pagesDone, total: pagesTotal, message: stage });
    await sleep(Math.min(pollMs, until - Date.now()), undefined, { signal }).catch(() => signal.throwIfAborted());
    job = await drs.jobs.get(jobId, { signal });
  }
  return job;
}

/** Often enough for a person who waits; uses one request of the key's rate per second. */
const pollMs = 1_000;
