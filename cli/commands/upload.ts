import { type Command, Option } from "commander";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { count } from "../output/amounts.ts";
import { printable } from "../output/printable.ts";
import { openProgress } from "../ui/progress.ts";
import { reasonOf } from "../upload/job-progress.ts";
import { type UploadResult, uploadFiles } from "../upload/upload-files.ts";
import { type ClientFlags, type Context, days, openSession, withClient, withExamples } from "./command.ts";

interface UploadFlags extends ClientFlags {
  readonly vectorize?: true;
  readonly wait?: boolean;
  readonly expiresInDays?: number;
}

export function defineUpload(command: Command, context: Context): void {
  withExamples(withClient(command.argument("<file...>", "documents to upload (pdf, docx, pptx, xlsx)")), [
    ["drs upload manual.pdf --vectorize", "upload, make searchable, wait until it is"],
    ["drs upload *.pdf --no-wait --json", "one line of JSON per accepted file"],
    ["drs upload report.pdf --expires-in-days 7", "deleted by itself after a week"],
  ])
    .option("--vectorize", "make every page searchable as well")
    .option("--wait", "wait until the jobs have finished (default)")
    .option("--no-wait", "return when the documents are accepted")
    .addOption(
      new Option(
        "--expires-in-days <days>",
        "days until the documents are deleted; -1: never (default: never)",
      ).argParser(days),
    )
    .addHelpText(
      "after",
      "\nExits with 0 if everything succeeded, 3 if some files or pages failed, 1 if all files failed.",
    )
    .action(async (files: readonly string[], flags: UploadFlags) => {
      const { drs, output, world } = await openSession(flags, context);
      const view = output.json ? undefined : await openProgress(world, false);
      const { vectorize = false, wait = true, expiresInDays } = flags;
      let results: UploadResult[];
      try {
        results = await uploadFiles(drs, files, {
          vectorize,
          wait,
          expiresInDays,
          signal: world.signal,
          onChange: (rows) => view?.update(rows),
          onResult: (result) => output.event(jsonOf(result)),
        });
      } catch (cause) {
        if (world.signal.aborted) output.note("documents that were accepted are worked on all the same: drs jobs list");
        throw cause;
      } finally {
        await view?.close();
      }
      for (const line of summaryLines(results, wait)) output.line(line);
      const advice = new Set(results.flatMap(({ failure }) => failure?.next || []));
      if (!output.json) for (const next of advice) output.note(`  → ${next}`);
      context.finish(exitCodeOf(results));
    });
}

/** One line of `--json`: the job as the service describes it, with the file in front. */
function jsonOf(result: UploadResult): object {
  const { file, job, failure } = result;
  if (failure !== undefined) return { file, error: failure.message, code: failure.code };
  return { file, datasetId: job.datasetId, jobId: job.id, status: job.status, failures: job.failures, job };
}

/** What came of every file, with each page that failed. */
export function summaryLines(results: readonly UploadResult[], wait: boolean): string[] {
  return results.flatMap(({ file, job, failure }) => {
    const name = printable(file);
    if (failure !== undefined) return [`${name}: not uploaded: ${printable(failure.message)}`];
    if (!wait) return [`${name}: ${job.datasetId}, job ${job.id}`];
    if (job.status === "ERROR") return [`${name}: failed: ${printable(reasonOf(job))}`];
    const pages = count(job.progress.pagesTotal, "page");
    const failed = job.failures.length === 0 ? "" : `, ${job.failures.length} of them failed`;
    return [
      `${name}: ${job.datasetId}, ${pages}${failed}`,
      ...job.failures.map(({ page, reason }) => `  page ${page}: ${printable(reason)}`),
    ];
  });
}

function exitCodeOf(results: readonly UploadResult[]): ExitCode {
  const bad = results.filter(({ job, failure }) => failure !== undefined || job.status === "ERROR");
  if (bad.length === 0)
    return results.some(({ job }) => (job?.failures.length ?? 0) > 0) ? exitCodes.partly : exitCodes.ok;
  if (bad.length < results.length) return exitCodes.partly;
  return bad.every(({ failure }) => failure?.exitCode === exitCodes.auth) ? exitCodes.auth : exitCodes.failed;
}
