import { resolve } from "node:path";
import { type Command, Option } from "commander";
import type { DamagedFile, Snapshot } from "@drs/server/backup";
import { exitCodes } from "../../exit-codes.ts";
import { copyText, createOutput, type Output, tellProgress } from "../../output/output.ts";
import { count, formatBytes, formatTime } from "../../output/amounts.ts";
import { printable } from "../../output/printable.ts";
import { type Column, tableLines } from "../../output/table.ts";
import type { CommandIo } from "../../command-io.ts";
import { type AgreementFlags, agrees, withAgreement } from "../agreement.ts";
import { type Context, type JsonFlag, withExamples, withJson } from "../command.ts";
import { wholeNumber } from "../flag-values.ts";
import { keepToOwner, settingsOf, withSettings } from "./server-settings.ts";
import { storeSettings } from "./verify.ts";

interface BackupFlags extends Record<string, unknown> {
  readonly json?: true;
}

const stages = {
  rows: "copying rows",
  features: "copying features of pages",
  documents: "copying documents",
  sealing: "sealing",
};

export function defineBackup(command: Command, context: Context): void {
  defineList(command, context);
  defineVerifyBackup(command, context);
  definePrune(command, context);
  withExamples(
    withJson(
      withSettings(command, ({ name }) => storeSettings.includes(name)).argument(
        "<dir>",
        "folder of the backups; created if there is none",
      ),
    ),
    [
      ["drs backup /mnt/backup", "a snapshot of the data folder, while a server uses it"],
      ["drs backup list /mnt/backup", "the existing snapshots"],
      ["drs backup prune --keep 14 /mnt/backup", "keeps the newest fourteen; add --yes in cron"],
    ],
  )
    .addHelpText(
      "after",
      "\nThe first backup copies everything, later ones only new data. Run the same command again to continue an interrupted" +
        "\nbackup; earlier snapshots are not changed. A backup contains all documents and all secrets of the service, and only" +
        "\nits owner may read it (modes 0700 and 0600): protect it like the data folder itself.",
    )
    .action(async (dir: string, flags: BackupFlags) => {
      const { io } = context;
      const output = createOutput(io, flags.json === true);
      keepToOwner();
      const { backUpFolder } = await import("@drs/server/backup");
      const { snapshot, copied, incompleteDatasets } = await backUpFolder(settingsOf(flags, io), {
        dir: resolve(dir),
        signal: io.signal,
        onStage: (stage) => output.json || output.note(stages[stage]),
        onProgress: tellProgress(output, copyText),
      });
      output.result({ ...snapshot, ...copied, incompleteDatasets }, () => [snapshot.name]);
      if (!output.json) {
        output.note(`${count(snapshot.datasets, "dataset")}; ${copyText(copied)}`);
        for (const problem of snapshot.problems) output.note(`! ${printable(problem)}`);
        if (incompleteDatasets > 0)
          output.note(`pages of ${count(incompleteDatasets, "dataset")} are embedded again after a restore`);
      }
      if (snapshot.problems.length > 0) context.finish(exitCodes.partly);
    });
}

/** The parent command `drs backup` also has `--json`, and receives the flag wherever it stands. */
const outputOf = (command: Command, io: CommandIo): Output =>
  createOutput(io, command.optsWithGlobals<JsonFlag>().json === true);

const columns: readonly Column<Snapshot>[] = [
  { title: "SNAPSHOT", value: ({ name }) => name },
  { title: "TAKEN", value: ({ createdAt }) => formatTime(createdAt) },
  { title: "DATASETS", value: ({ datasets }) => String(datasets), align: "right" },
  { title: "FILES", value: ({ files }) => String(files), align: "right" },
  { title: "SIZE", value: ({ bytes }) => formatBytes(bytes), align: "right" },
  { title: "PROBLEMS", value: ({ problems }) => String(problems.length), align: "right" },
];

function defineList(command: Command, { io }: Context): void {
  withExamples(
    withJson(command.command("list").description("list the snapshots of a folder of backups").argument("<dir>")),
    [["drs backup list /mnt/backup", "oldest first"]],
  ).action(async (dir: string, _: JsonFlag, self: Command) => {
    const output = outputOf(self, io);
    const { openRepository } = await import("@drs/server/backup");
    const data = await (await openRepository(resolve(dir))).snapshots();
    output.result({ data }, () => tableLines(data, columns, output.style));
    if (data.length === 0 && !output.json) output.note("no backup has been finished yet");
  });
}

function defineVerifyBackup(command: Command, { io, finish }: Context): void {
  withExamples(
    withJson(
      command
        .command("verify")
        .description("read backups completely and compare them with their checksums")
        .argument("<dir>"),
    ),
    [
      ["drs backup verify /mnt/backup", "all snapshots"],
      ["drs backup verify --snapshot 2026-11-22T03-00-00Z /mnt/backup", "one of them"],
    ],
  )
    .option("--snapshot <name>", "only this one")
    .action(async (dir: string, flags: JsonFlag & { snapshot?: string }, self: Command) => {
      const output = outputOf(self, io);
      const { verifyBackup } = await import("@drs/server/backup");
      const damaged: DamagedFile[] = [];
      const found = verifyBackup({
        dir: resolve(dir),
        name: flags.snapshot,
        signal: io.signal,
        onSnapshot: (name) => output.json || output.note(`reading ${name}`),
        onProgress: tellProgress(output, (bytes: number) => `${formatBytes(bytes)} read`),
      });
      for await (const file of found) {
        damaged.push(file);
        output.event(file);
        output.line(`✗ ${file.snapshot}: ${printable(file.path)} ${file.problem}`);
      }
      if (damaged.length > 0) finish(exitCodes.failed);
      else if (!output.json) output.note("everything can be restored");
    });
}

function definePrune(command: Command, context: Context): void {
  withExamples(
    withAgreement(
      withJson(
        command
          .command("prune")
          .description("remove old snapshots, and the data that only they need")
          .argument("<dir>")
          .addOption(
            new Option("--keep <n>", "how many of the newest to keep")
              .argParser(wholeNumber(1, 1_000_000))
              .makeOptionMandatory(),
          ),
      ),
    ),
    [
      ["drs backup prune --keep 14 /mnt/backup", "also removes the remains of interrupted backups"],
      ["drs backup prune --keep 14 --yes /mnt/backup", "without confirmation, as cron needs it"],
    ],
  ).action(async (dir: string, { keep, ...flags }: JsonFlag & AgreementFlags & { keep: number }, self: Command) => {
    const output = outputOf(self, context.io);
    if (!(await agrees(`delete all snapshots but the newest ${keep} for good?`, flags, context))) return;
    const { pruneBackup } = await import("@drs/server/backup");
    const pruned = await pruneBackup({ dir: resolve(dir), keep });
    output.result(pruned, () => pruned.removedSnapshots.map((name) => `removed ${name}`));
    if (!output.json)
      output.note(`${count(pruned.keptSnapshots.length, "snapshot")} left, ${formatBytes(pruned.freedBytes)} freed`);
  });
}

interface RestoreFlags extends Record<string, unknown> {
  readonly snapshot?: string;
  readonly json?: true;
}

export function defineRestore(command: Command, { io }: Context): void {
  withExamples(
    withJson(withSettings(command, ({ name }) => name === "dataDir").argument("<dir>", "folder of the backups")),
    [
      ["drs restore /mnt/backup --data-dir /srv/drs", "the newest snapshot"],
      ["drs restore /mnt/backup --snapshot 2026-11-22T03-00-00Z --data-dir /srv/drs", "another one"],
    ],
  )
    .option("--snapshot <name>", "which one (default: the newest); drs backup list shows them")
    .addHelpText(
      "after",
      "\nThe data folder has to be empty. Run the same command again to continue an interrupted restore; until it has ended," +
        "\ndrs serve rejects the folder. Jobs that were running when the backup was made continue at the next start.",
    )
    .action(async (dir: string, flags: RestoreFlags) => {
      const output = createOutput(io, flags.json === true);
      const { dataDir } = settingsOf(flags, io);
      keepToOwner();
      const { restore } = await import("@drs/server/backup");
      const { snapshot, copied } = await restore({
        dir: resolve(dir),
        name: flags.snapshot,
        dataDir,
        signal: io.signal,
        onProgress: tellProgress(output, copyText),
      });
      output.result({ ...snapshot, ...copied, dataDir }, () => [
        `${snapshot.name} restored into ${printable(dataDir)}`,
      ]);
      if (output.json) return;
      output.note(`${count(snapshot.datasets, "dataset")}; ${copyText(copied)}`);
      for (const problem of snapshot.problems) output.note(`! ${printable(problem)}`);
      output.note("next: drs verify, then drs serve");
    });
}
