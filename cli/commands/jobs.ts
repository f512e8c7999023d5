import type { Command } from "commander";
import type { Job, JobStatus } from "@drs/client";
import { exitCodes } from "../exit-codes.ts";
import { formatTime } from "../output/amounts.ts";
import { printPage } from "../output/output.ts";
import type { Column } from "../output/table.ts";
import { watchToEnd } from "../upload/job-progress.ts";
import {
  choices,
  type ClientFlags,
  type Context,
  openSession,
  type PagingFlags,
  withClient,
  withExamples,
  withPaging,
} from "./command.ts";

const statuses: readonly JobStatus[] = ["NOT_STARTED", "IN_QUEUE", "IN_PROGRESS", "SUCCESS", "ERROR"];

const columns: readonly Column<Job>[] = [
  { title: "JOB", value: ({ id }) => id },
  { title: "DATASET", value: ({ datasetId }) => datasetId },
  { title: "TYPE", value: ({ type }) => type.replace("datasets/", "") },
  { title: "STATUS", value: ({ status, canceledAt }) => (canceledAt === null ? status : "CANCELLED") },
  {
    title: "PAGES",
    align: "right",
    value: ({ progress }) => (progress.pagesTotal === 0 ? "–" : `${progress.pagesDone}/${progress.pagesTotal}`),
  },
  { title: "FAILED", align: "right", value: ({ failures }) => String(failures.length) },
  { title: "CREATED", value: ({ createdAt }) => formatTime(createdAt) },
  { title: "REASON", maxColumns: 60, value: ({ statusText }) => statusText ?? "" },
];

/** A job as a person reads it. */
function jobLines(job: Job): string[] {
  return [
    `job       ${job.id} (${job.type})`,
    `dataset   ${job.datasetId}`,
    `status    ${job.canceledAt === null ? job.status : `cancelled at ${formatTime(job.canceledAt)}`}`,
    ...(job.statusText === null || job.statusText === "" ? [] : [`reason    ${job.statusText}`]),
    `progress  ${job.progress.stage}, ${job.progress.pagesDone} of ${job.progress.pagesTotal || "?"} pages`,
    `created   ${formatTime(job.createdAt)}`,
    `started   ${formatTime(job.startedAt)}`,
    `finished  ${formatTime(job.finishedAt)}`,
    ...job.failures.map(({ page, reason }) => `failed    page ${page}: ${reason}`),
  ];
}

export function defineJobs(command: Command, context: Context): void {
  const list = withExamples(
    withPaging(withClient(command.command("list").description("list recent jobs, newest first"))),
    [["drs jobs list --status IN_PROGRESS", "what is being worked on"]],
  );
  list.option("--status <list>", `only these, with commas: ${statuses.join(", ")}`, choices(statuses));
  list.action(async (flags: ClientFlags & PagingFlags & { status?: readonly JobStatus[] }) => {
    const { drs, output, world } = await openSession(flags, context);
    const page = await drs.jobs.page(
      { statuses: flags.status, offset: flags.offset, limit: flags.limit },
      { signal: world.signal },
    );
    printPage(
      output,
      page,
      columns,
      "no recent jobs; finished ones leave the list after 24 hours and stay readable by id",
    );
  });

  withExamples(withClient(command.command("get").description("show one job").argument("<job>", "job id, dsj_…")), [
    ["drs jobs get dsj_01K0", "also a job that has left the list"],
  ]).action(async (id: string, flags: ClientFlags) => {
    const { drs, output, world } = await openSession(flags, context);
    const job = await drs.jobs.get(id, { signal: world.signal });
    output.result(job, () => jobLines(job));
  });

  withExamples(
    withClient(command.command("watch").description("follow a job to its end").argument("<job>", "job id, dsj_…")),
    [["drs jobs watch dsj_01K0 --json", "every state of the job as one line of JSON"]],
  )
    .addHelpText("after", "\nExits with 0 after success, 1 after an error, 3 if some pages failed.")
    .action(async (id: string, flags: ClientFlags) => {
      const session = await openSession(flags, context);
      const job = await watchToEnd(session, id, id);
      if (!session.output.json) session.output.result(job, () => jobLines(job));
      context.finish(
        job.status === "ERROR" ? exitCodes.failed : job.failures.length > 0 ? exitCodes.partly : exitCodes.ok,
      );
    });

  withExamples(
    withClient(
      command
        .command("cancel")
        .description("end an unfinished job and remove what it has made")
        .argument("<job>", "job id, dsj_…"),
    ),
    [["drs jobs cancel dsj_01K0", "a dataset that the job was creating goes with it"]],
  ).action(async (id: string, flags: ClientFlags) => {
    const { drs, output, world } = await openSession(flags, context);
    const job = await drs.jobs.cancel(id, { signal: world.signal });
    output.result(job, () => [`${job.id} is cancelled`]);
  });
}
