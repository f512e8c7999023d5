import { resolve } from "node:path";
import type { Command } from "commander";
import { copyText, createOutput, tellProgress } from "../../output/output.ts";
import { count } from "../../output/amounts.ts";
import { printable } from "../../output/printable.ts";
import { type Context, withExamples, withJson } from "../command.ts";
import { keepToOwner, settingsOf, withSettings } from "./server-settings.ts";

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
