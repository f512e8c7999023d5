import { setTimeout as sleep } from "node:timers/promises";
import type { ServerContext } from "@modelcontextprotocol/server";
import type { Drs, Job } from "@drs/client";
import { z } from "zod";
import { jsonBlock } from "../budget.ts";
import { answered } from "../failures.ts";
import { describeJob, jobOutput } from "../job.ts";
import { inputOf, type Register, tellProgress } from "../tool.ts";

const description = `How far the processing of a document is, by the jobId that add_document has answered with.
SUCCESS and ERROR are final. With waitSeconds the answer comes when the job has ended, at the latest after that time.`;

const input = inputOf({
  jobId: z.string().regex(/^dsj_[0-9a-z]{1,60}$/i, "an id of a job begins with dsj_"),
  waitSeconds: z.int().min(0).max(45).default(0).describe("how long to wait for the end"),
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
  // Polled rather than watched: a stream would be one more thing to hold, and to end when the server stops.
  while (job.status !== "SUCCESS" && job.status !== "ERROR" && Date.now() < until) {
    const { stage, pagesDone, pagesTotal } = job.progress;
    await tellProgress(context, { done: pagesDone, total: pagesTotal, message: stage });
    await sleep(Math.min(pollMs, until - Date.now()), undefined, { signal }).catch(() => signal.throwIfAborted());
    job = await drs.jobs.get(jobId, { signal });
  }
  return job;
}

/** Often enough for a person who waits, and one request of the key's rate a second. */
const pollMs = 1_000;
