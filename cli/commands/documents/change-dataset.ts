import type { Command } from "commander";
import { documentId } from "../../documents/find-document.ts";
import { reasonOf, warningText } from "../../jobs/job-text.ts";
import { exitCodeOfJobs, watchJob } from "../../jobs/watch-jobs.ts";
import { count } from "../../output/amounts.ts";
import { printable } from "../../output/printable.ts";
import { urlSource } from "../../upload/sources/source.ts";
import {
  type ClientFlags,
  type Context,
  openSession,
  type WaitingFlags,
  withClient,
  withExamples,
  withWaiting,
} from "../command.ts";
import type { Metadata } from "@drs/client";
import { usageError } from "../../failures.ts";
import { days, meta, words } from "../flag-values.ts";

interface UpdateFlags extends ClientFlags {
  readonly meta?: Metadata;
  readonly unset?: readonly string[];
  readonly name?: string;
  readonly expiresInDays?: number;
}

/** Defines `drs datasets update`. */
export function defineUpdate(command: Command, context: Context): void {
  withExamples(
    withClient(
      command
        .command("update")
        .description("change a dataset's metadata, name or expiry")
        .argument("<dataset>", "dataset id, ds_…, or the name of its document"),
    ),
    [
      ["drs datasets update ds_01K0 --meta year=2024 --unset draft", "all other fields stay"],
      ["drs datasets update manual.pdf --name manual-2.pdf", "renames the document"],
      ["drs datasets update manual.pdf --expires-in-days 30", "expires 30 days from now"],
    ],
  )
    .option("--meta <name=value>", "set a field of the metadata; repeatable", meta)
    .option("--unset <names>", "remove fields of the metadata; repeat the flag or use commas", words)
    .option("--name <name>", "the document's name")
    .option("--expires-in-days <days>", "days from now until it is deleted; -1 means never", days)
    .action(async (word: string, flags: UpdateFlags) => {
      const { meta: said, unset, name: fileName, expiresInDays } = flags;
      if (said === undefined && unset === undefined && fileName === undefined && expiresInDays === undefined) {
        throw usageError("there is nothing to change", "use --meta, --unset, --name or --expires-in-days");
      }
      const { drs, output, io } = await openSession(flags, context);
      const { signal } = io;
      const removed = Object.fromEntries((unset ?? []).map((name) => [name, null]));
      const metadata = said === undefined && unset === undefined ? undefined : { ...removed, ...said };
      const id = await documentId(drs, word, signal);
      const dataset = await drs.datasets.update(id, { metadata, fileName, expiresInDays }, { signal });
      output.result(dataset, () => [`${dataset.id} (${printable(dataset.fileName)}) is changed`]);
    });
}

interface ReplaceFlags extends ClientFlags, WaitingFlags {
  readonly name?: string;
  readonly vectorize?: boolean;
}

/** Defines `drs datasets replace`. */
export function defineReplace(command: Command, context: Context): void {
  const replace = withExamples(
    withClient(
      command
        .command("replace")
        .description("replace the document of a dataset by a new version, under the same id")
        .argument("<dataset>", "dataset id, ds_…, or the name of its document")
        .argument("<file>", "the new version: a file, or the http(s) address of one"),
    ),
    [
      ["drs datasets replace ds_01K0 manual-2.pdf", "the old version is served until the new one is complete"],
      ["drs datasets replace manual.pdf manual-2.pdf --name manual.pdf", "keeps its name"],
    ],
  )
    .option("--name <name>", "the document's name; default: the file's name")
    .option("--vectorize", "make its pages searchable; default: if the old version is")
    .option("--no-vectorize", "leave its pages out of searches");
  withWaiting(replace, "the job is accepted").addHelpText(
    "after",
    "\nMetadata and expiry stay; links to the old version stop working. Exits with 0 if the new version is in use, 3 if some of its\npages failed, 1 if it could not be read and the old one stays.",
  );
  replace.action(async (word: string, file: string, flags: ReplaceFlags) => {
    const session = await openSession(flags, context);
    const { drs, output, io } = session;
    const { signal } = io;
    const id = await documentId(drs, word, signal);
    const { name: fileName, vectorize } = flags;
    const accepted = await drs.datasets.replace(id, urlSource(file)?.url ?? file, { fileName, vectorize, signal });
    if (flags.wait === false) {
      output.result(accepted, () => [
        `${accepted.id} reads the new version of ${word}; follow it with: drs jobs watch ${accepted.id}`,
      ]);
      return;
    }
    const label = output.json ? id : printable(fileName ?? file);
    const job = await watchJob(session, { id: accepted.id, label, retryTimeoutMs: flags.retryTimeout * 1000 });
    const failed = job.failures.length === 0 ? "" : `, without ${count(job.failures.length, "page")} that failed`;
    output.line(
      job.status === "ERROR"
        ? `${word} stays as it was: ${reasonOf(job)}`
        : `${word} has its new version${failed}; links to the old one have ended`,
    );
    for (const warning of job.warnings) output.line(`  warning: ${warningText(warning)}`);
    context.finish(exitCodeOfJobs([job]));
  });
}
