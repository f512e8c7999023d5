import type { Metadata } from "@drs/client";
import { type Command, Option } from "commander";
import { serverOf } from "../../connection/connect.ts";
import { usageError } from "../../failures.ts";
import { days, meta, repeated, wholeNumber } from "../flag-values.ts";
import { runSync } from "../../sync/run.ts";
import { openReport } from "../../upload/results/results.ts";
import {
  type ClientFlags,
  type Context,
  openSession,
  type WaitingFlags,
  withClient,
  withExamples,
  withWaiting,
} from "../command.ts";

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
  const described = command.argument("<dir>", "the folder, with its subfolders");
  withExamples(withClient(described), [
    ["drs sync archive --dry-run", "shows what would be done"],
    ["drs sync archive --vectorize", "sends new and changed files; removed files keep their documents"],
    ["drs sync archive --vectorize --delete", "also deletes the documents of removed files"],
    ["drs sync archive --vectorize --delete --watch", "runs until it is stopped"],
  ]);
  withWaiting(command, "the documents are accepted")
    .option("--delete", "delete the documents of removed files")
    .option("--delete-most", "delete them without confirmation, even if they are most of the synced files")
    .option("--delete-adopted", "also delete documents that existed before the sync and were matched to removed files")
    .option("--dry-run", "show the plan and do nothing")
    .option("--watch", "keep running, and sync changes as they happen")
    .option("--vectorize", "also make every page searchable")
    .option("--again", "send files again that the service rejected or could not read before")
    .option("--include <pattern>", "only matching files (default: the four formats); repeatable", repeated)
    .option("--exclude <pattern>", "no matching files or folders; repeatable", repeated)
    .addOption(
      new Option("--at-once <n>", "how many documents to send at the same time, 1 to 64")
        .argParser(wholeNumber(1, 64))
        .default(4),
    )
    .addOption(
      new Option(
        "--expires-in-days <days>",
        "days until sent documents are deleted; -1 means never (default: never)",
      ).argParser(days),
    )
    .option("--meta <name=value>", "metadata of new documents, for filters: year=2024, tags=draft; repeatable", meta)
    .option("--report <file>", "write the result of every file to this file, as lines of JSON")
    .addHelpText("after", notes)
    .action(async (folder: string, flags: SyncFlags) => {
      const { io } = context;
      if (flags.deleteMost === true && flags.delete !== true)
        throw usageError("--delete-most works only with --delete", "use both");
      if (flags.deleteAdopted === true && flags.delete !== true)
        throw usageError("--delete-adopted works only with --delete", "use both");
      if (flags.watch === true && flags.dryRun === true)
        throw usageError("--watch and --dry-run cannot be combined", "leave one out");
      const session = await openSession(flags, context);
      const report = flags.report === undefined ? undefined : await openReport(flags.report);
      const { include = [], exclude = [] } = flags;
      context.finish(
        await runSync(session, {
          folder,
          patterns: { include, exclude },
          server: await serverOf(flags, io),
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
          retryTimeoutMs: flags.retryTimeout * 1000,
          report,
        }),
      );
    });
}

const notes = `
The sync goes one way, from the folder to the service. Every file has a document of its own there, even if two files are equal.
  new       is sent, unless the service has a document with that name and content, which is matched to the file
  changed   is sent as a new version of its document, which keeps its id; the previous version is served until it is ready
  renamed   keeps its document; nothing is sent
  gone      keeps its document, unless --delete is given; a matched document also needs --delete-adopted
  refused   is reported once, and sent again only if it changes or with --again; so is a document whose job failed
Documents that were deleted on the service but are still in the folder are sent again. Hidden files and folders are skipped, and
links are followed. Files that cannot be read, or are excluded by --include and --exclude, never count as gone. If everything
would be deleted, or more than ten files and more than half, the command asks for confirmation, and fails in scripts.

You can stop it at any time: the next run continues, and nothing is sent twice. The state of a folder is saved in
$XDG_STATE_HOME/drs/sync; without it, documents are recognised by name and content. Only one run per folder is possible.

With --json, and in reports, each file is a line {"file", "outcome", …} with "outcome" uploaded, changed, renamed, adopted,
followed, vectorized, cleaned, deleted or failed; before them {"plan": {…}}, at the end {"summary": {…}}.

Exits with 0 if everything succeeded, 3 if some files or pages failed, 1 if all files failed, 130 if interrupted.`;
