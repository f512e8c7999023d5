import type { Command } from "commander";
import type { Job, JobStatus } from "@drs/client";
import { mapConcurrent } from "../../bounded.ts";
import { usageError } from "../../failures.ts";
import { jobColumns, jobLines, type NamedJob, namesOfAll, withNames } from "../../jobs/job-text.ts";
import { exitCodeOfJobs, isWorthRetrying, watchJobs } from "../../jobs/watch-jobs.ts";
import { tableLines } from "../../output/table.ts";
import { type ClientFlags, type Context, openSession, type Session, withClient, withExamples } from "../command.ts";
import { choices } from "../flag-values.ts";
import { type ListFlags, printList, withList } from "../list.ts";

const statuses: readonly JobStatus[] = ["NOT_STARTED", "IN_QUEUE", "IN_PROGRESS", "SUCCESS", "ERROR"];

const unfinished: readonly JobStatus[] = ["NOT_STARTED", "IN_QUEUE", "IN_PROGRESS"];

const jobsAtOnce = 4;

export function defineJobs(command: Command, context: Context): void {
  defineList(command, context);
  withExamples(withClient(command.command("get").description("show one job").argument("<job>", "job id, dsj_…")), [
    ["drs jobs get dsj_01K0", "also a job that is no longer in the list"],
  ]).action(async (id: string, flags: ClientFlags) => {
    const { drs, output, io } = await openSession(flags, context);
    const job = await drs.jobs.get(id, { signal: io.signal });
    output.result(job, () => jobLines(job));
  });
  defineWatch(command, context);
  defineCancel(command, context);
  defineRetry(command, context);
}

function defineList(command: Command, context: Context): void {
  const list = withExamples(
    withList(withClient(command.command("list").description("list recent jobs, newest first"))),
    [
      ["drs jobs list --status IN_PROGRESS", "jobs in progress"],
      ["drs jobs list --all --status ERROR --json", "every job that failed in the last 24 hours, for a program"],
    ],
  );
  list.option("--status <list>", `only these, with commas: ${statuses.join(", ")}`, choices(statuses));
  list.action(async (flags: ClientFlags & ListFlags & { status?: readonly JobStatus[] }) => {
    const { drs, output, io } = await openSession(flags, context);
    const { signal } = io;
    const filter = { statuses: flags.status };
    await printList(
      output,
      flags,
      {
        async page(query) {
          const page = await drs.jobs.page({ ...filter, ...query }, { signal });
          return output.json ? page : { ...page, data: await withNames(drs, page.data, signal) };
        },
        async *entries(query) {
          const names = output.json ? undefined : await namesOfAll(drs, signal);
          for await (const job of drs.jobs.list({ ...filter, ...query }, { signal }))
            yield names === undefined ? job : { ...job, fileName: names.get(job.datasetId) };
        },
      },
      jobColumns,
      "no recent jobs; finished ones leave the list after 24 hours and stay readable by id",
    );
  });
}

function defineWatch(command: Command, context: Context): void {
  withExamples(
    withClient(
      command.command("watch").description("follow jobs until they end").argument("[job...]", "job ids, dsj_…"),
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
        throw usageError("both jobs and --all are given", "use only one of them");
      const session = await openSession(flags, context);
      const { output } = session;
      const jobs = await watchJobs(session, await jobsToWatch(session, ids));
      if (jobs.length === 0 && !output.json) output.note("no job is unfinished");
      await printOutcome(session, jobs, context);
    });
}

function defineCancel(command: Command, context: Context): void {
  withExamples(
    withClient(
      command
        .command("cancel")
        .description("end an unfinished job and remove its results")
        .argument("<job>", "job id, dsj_…"),
    ),
    [["drs jobs cancel dsj_01K0", "also deletes a dataset that the job was creating"]],
  ).action(async (id: string, flags: ClientFlags) => {
    const { drs, output, io } = await openSession(flags, context);
    const job = await drs.jobs.cancel(id, { signal: io.signal });
    output.result(job, () => [`${job.id} is cancelled`]);
  });
}

interface RetryFlags extends ClientFlags {
  readonly failed?: true;
  readonly wait?: boolean;
}

function defineRetry(command: Command, context: Context): void {
  withExamples(
    withClient(
      command
        .command("retry")
        .description("run finished jobs again: all of a job that ended in ERROR, or just its failed pages")
        .argument("[job...]", "job ids, dsj_…"),
    ),
    [
      ["drs jobs retry dsj_01K0", "for the same dataset; finished work is kept"],
      ["drs jobs retry --failed", "all jobs of the last 24 hours that failed or have failed pages"],
    ],
  )
    .option("--failed", "all listed jobs that ended in ERROR or have failed pages, except cancelled ones")
    .option("--wait", "wait until the jobs have finished (default)")
    .option("--no-wait", "return when the jobs are in the queue again")
    .addHelpText(
      "after",
      "\nExits with 0 after success, 1 after an error, 3 if some of the jobs or of their pages failed again.",
    )
    .action(async (ids: readonly string[], flags: RetryFlags) => {
      if (ids.length === 0 && flags.failed !== true)
        throw usageError("no job is named", "name jobs (drs jobs list shows them), or run all again with --failed");
      if (ids.length > 0 && flags.failed === true)
        throw usageError("both jobs and --failed are given", "use only one of them");
      const session = await openSession(flags, context);
      const { drs, output, io } = session;
      const again = await jobsToRetry(session, ids);
      const retried = await mapConcurrent(again, jobsAtOnce, (id) => drs.jobs.retry(id, { signal: io.signal }));
      if (retried.length === 0) {
        if (!output.json) output.note("no job has failed in the last 24 hours");
        return;
      }
      if (flags.wait ?? true) return printOutcome(session, await watchJobs(session, retried), context);
      for (const job of retried) output.event(job);
      if (output.json) return;
      for (const { id } of retried) output.line(`${id} runs again; follow it with: drs jobs watch ${id}`);
    });
}

/** Returns the named jobs, or all listed jobs that have failed in whole or in part, except cancelled ones. */
async function jobsToRetry({ drs, io: { signal } }: Session, ids: readonly string[]): Promise<string[]> {
  if (ids.length > 0) return [...new Set(ids)];
  const failed: string[] = [];
  for await (const job of drs.jobs.list({ statuses: ["ERROR", "SUCCESS"] }, { signal })) {
    if (isWorthRetrying(job)) failed.push(job.id);
  }
  return failed.toReversed();
}

/** Prints finished jobs and sets the exit code to match their outcome. */
async function printOutcome({ drs, output, io }: Session, jobs: readonly Job[], context: Context): Promise<void> {
  const named = (): Promise<readonly NamedJob[]> =>
    output.json ? Promise.resolve(jobs) : withNames(drs, jobs, io.signal);
  const [first] = jobs;
  if (first === undefined) return;
  const lines = jobs.length === 1 ? jobLines(first) : tableLines(await named(), jobColumns, output.style);
  for (const line of lines) output.line(line);
  context.finish(exitCodeOfJobs(jobs));
}

/** Returns the named jobs, or all unfinished ones, oldest first: the order in which they are processed. */
async function jobsToWatch({ drs, io: { signal } }: Session, ids: readonly string[]): Promise<Job[]> {
  if (ids.length > 0) return mapConcurrent([...new Set(ids)], jobsAtOnce, (id) => drs.jobs.get(id, { signal }));
  return (await Array.fromAsync(drs.jobs.list({ statuses: unfinished }, { signal }))).toReversed();
}
