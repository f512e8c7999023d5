import type { Metadata } from "@drs/client";
import { type Command, Option } from "commander";
import { serverOf } from "../connection/connect.ts";
import { usageError } from "../failures.ts";
import { meta } from "../metadata/meta.ts";
import { runSync } from "../sync/run.ts";
import { openReport } from "../upload/results/report.ts";
import { type ClientFlags, type Context, openSession, withClient, withExamples } from "./command.ts";
import { days, repeated, wholeNumber } from "./flag-values.ts";
import { type WaitingFlags, withWaiting } from "./waiting.ts";

interface SyncFlags extends ClientFlags, WaitingFlags {
  readonly delete?: true;
  readonly deleteMost?: true;
  readonly deleteAdopted?: true;
  readonly dryRun?: true;
  readonly watch?: true;
  readonly vectorize?: true;
  readonly again?: true;
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
  readonly expiresInDays?: number;
  readonly meta?: Metadata;
  readonly atOnce: number;
  readonly report?: string;
}

export function defineSync(command: Command, context: Context): void {
  const described = command.argument("<dir>", "the folder, with those below it");
  withExamples(withClient(described), [
    ["drs sync archive --dry-run", "what would be done"],
    ["drs sync archive --vectorize", "what is new and what has changed; files that are gone keep their documents"],
    ["drs sync archive --vectorize --delete", "the documents of files that are gone are deleted"],
    ["drs sync archive --vectorize --delete --watch", "goes on until it is stopped"],
  ]);
  withWaiting(command, "the documents are accepted")
    .option("--delete", "delete the documents of files that are gone")
    .option("--delete-most", "delete them without asking, also when they are most of what is synced")
    .option("--delete-adopted", "delete also documents that were there before and were taken for files that are gone")
    .option("--dry-run", "show the plan and do nothing")
    .option("--watch", "go on: sync what changes, as it changes")
    .option("--vectorize", "make every page searchable as well")
    .option("--again", "send again what the service has refused before, and versions that it could not read")
    .option("--include <pattern>", "only files like this (default: the four formats); repeatable", repeated)
    .option("--exclude <pattern>", "no files and no folders like this; repeatable", repeated)
    .addOption(
      new Option("--at-once <n>", "how many to send at the same time, 1 to 64")
        .argParser(wholeNumber(1, 64))
        .default(4),
    )
    .addOption(
      new Option(
        "--expires-in-days <days>",
        "days until what is sent is deleted; -1: never (default: never)",
      ).argParser(days),
    )
    .option("--meta <name=value>", "say this of new documents, for filters: year=2024, tags=draft; repeatable", meta)
    .option("--report <file>", "write what came of every file to this file, as lines of JSON")
    .addHelpText("after", notes)
    .action(async (folder: string, flags: SyncFlags) => {
      const { world } = context;
      if (flags.deleteMost === true && flags.delete !== true)
        throw usageError("--delete-most is about what --delete does", "give both");
      if (flags.deleteAdopted === true && flags.delete !== true)
        throw usageError("--delete-adopted is about what --delete does", "give both");
      if (flags.watch === true && flags.dryRun === true)
        throw usageError("--watch goes on, and --dry-run does nothing", "leave one out");
      const session = await openSession(flags, context);
      const report = flags.report === undefined ? undefined : await openReport(flags.report);
      const { include = [], exclude = [] } = flags;
      context.finish(
        await runSync(session, {
          folder,
          patterns: { include, exclude },
          server: await serverOf(flags, world),
          delete: flags.delete === true,
          deleteMost: flags.deleteMost === true,
          deleteAdopted: flags.deleteAdopted === true,
          dryRun: flags.dryRun === true,
          watch: flags.watch === true,
          vectorize: flags.vectorize === true,
          again: flags.again === true,
          expiresInDays: flags.expiresInDays,
          metadata: flags.meta,
          wait: flags.wait !== false,
          atOnce: flags.atOnce,
          patienceMs: flags.patience * 1000,
          report,
        }),
      );
    });
}

const notes = `
One way, from the folder to the service: every file has a document of its own there, also where two files are the same.
  new       is sent, unless the service has a document of that name and content, which is taken for it
  changed   is sent as a new version of its document, which keeps its id; the one before serves until it is ready
  renamed   keeps its document; nothing is sent
  gone      keeps its document, unless --delete is given; one that was taken for it stays without --delete-adopted
  refused   is told once, and not sent again until it changes, or with --again; a document whose job failed likewise
What was deleted on the service and is still in the folder is sent again. Hidden files and folders are left out, links are
followed. What cannot be read, or is left out by --include and --exclude, is never taken for gone. If everything would be
deleted, or more than ten files and more than half, a person is asked and a script is refused.

It may be stopped at any moment: the next run goes on, and nothing is sent twice. What it knows of a folder is in
$XDG_STATE_HOME/drs/sync; without that it recognises documents by name and content. One run per folder at a time.

With --json, and in reports, each file is a line {"file", "outcome", …} with "outcome" uploaded, changed, renamed, adopted,
followed, vectorized, cleaned, deleted or failed; before them {"plan": {…}}, at the end {"summary": {…}}.

Exits with 0 if everything succeeded, 3 if some files or pages failed, 1 if all files failed, 130 if interrupted.`;
