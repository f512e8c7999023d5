import type { Command } from "commander";
import type { Job, JobStatus } from "@drs/client";
import { mapBounded } from "../bounded.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { usageError } from "../failures.ts";
import { jobColumns, jobLines } from "../jobs/job-text.ts";
import { watchJobs } from "../jobs/watch-jobs.ts";
import { tableLines } from "../output/table.ts";
import {
  choices,
  type ClientFlags,
  type Context,
  openSession,
  type Session,
  withClient,
  withExamples,
} from "./command.ts";
import { type ListFlags, printList, withList } from "./list.ts";

const statuses: readonly JobStatus[] = ["NOT_STARTED", "IN_QUEUE", "IN_PROGRESS", "SUCCESS", "ERROR"];

const unfinished: readonly JobStatus[] = ["NOT_STARTED", "IN_QUEUE", "IN_PROGRESS"];

const jobsAtOnce = 4;

export function defineJobs(command: Command, context: Context): void {
  const list = withExamples(
    withList(withClient(command.command("list").description("list recent jobs, newest first"))),
    [
      ["drs jobs list --status IN_PROGRESS", "what is being worked on"],
      ["drs jobs list --all --status ERROR --json", "every job that failed in the last 24 hours, for a program"],
    ],
  );
  list.option("--status <list>", `only these, with commas: ${statuses.join(", ")}`, choices(statuses));
  list.action(async (flags: ClientFlags & ListFlags & { status?: readonly JobStatus[] }) => {
    const { drs, output, world } = await openSession(flags, context);
    const { signal } = world;
    const filter = { statuses: flags.status };
    await printList(
      output,
      flags,
      {
        page: (query) => drs.jobs.page({ ...filter, ...query }, { signal }),
        entries: (query) => drs.jobs.list({ ...filter, ...query }, { signal }),
      },
      jobColumns,
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
    withClient(
      command.command("watch").description("follow jobs to their ends").argument("[job...]", "job ids, dsj_…"),
    ),
    [
      ["drs jobs watch dsj_01K0", "until it has ended"],
      ["drs jobs watch --all", "everything that is unfinished now"],
      ["drs jobs watch dsj_01K0 --json", "every state of the job as one line of JSON"],
    ],
  )
    .option("--all", "all jobs that are unfinished now, the oldest first")
    .addHelpText(
      "after",
      "\nExits with 0 after success, 1 after an error, 3 if some of the jobs or of their pages failed.",
    )
    .action(async (ids: readonly string[], flags: ClientFlags & { all?: true }) => {
      if (ids.length === 0 && flags.all !== true)
        throw usageError("no job is named", "name jobs (drs jobs list shows them), or follow all with --all");
      if (ids.length > 0 && flags.all === true)
        throw usageError("both jobs and --all are given", "leave one of them away");
      const session = await openSession(flags, context);
      const { output } = session;
      const jobs = await watchJobs(session, await jobsToWatch(session, ids));
      const [first] = jobs;
      if (first === undefined) {
        if (!output.json) output.note("no job is unfinished");
        return;
      }
      const lines = jobs.length === 1 ? jobLines(first) : tableLines(jobs, jobColumns, output.style);
      for (const line of lines) output.line(line);
      context.finish(outcomeOf(jobs));
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

/** The named jobs, or all unfinished ones, the oldest first: so they are worked on. */
async function jobsToWatch({ drs, world: { signal } }: Session, ids: readonly string[]): Promise<Job[]> {
  if (ids.length > 0) return mapBounded([...new Set(ids)], jobsAtOnce, (id) => drs.jobs.get(id, { signal }));
  return (await Array.fromAsync(drs.jobs.list({ statuses: unfinished }, { signal }))).toReversed();
}

function outcomeOf(jobs: readonly Job[]): ExitCode {
  const failed = jobs.filter(({ status }) => status === "ERROR").length;
  if (failed === jobs.length) return exitCodes.failed;
  return failed > 0 || jobs.some(({ failures }) => failures.length > 0) ? exitCodes.partly : exitCodes.ok;
}
