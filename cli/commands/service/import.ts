import { resolve } from "node:path";
import type { Command } from "commander";
import type { ImportProgress } from "@drs/server/backup";
import { createOutput, tellProgress } from "../../output/output.ts";
import { count, formatBytes } from "../../output/amounts.ts";
import { type Context, withExamples, withJson } from "../command.ts";
import { keepToOwner, settingsOf, withSettings } from "./server-settings.ts";
import { storeSettings } from "./verify.ts";

interface ImportFlags extends Record<string, unknown> {
  readonly workspace: string;
  readonly newIds?: true;
  readonly json?: true;
}

export function defineImport(command: Command, { io }: Context): void {
  withExamples(
    withJson(
      withSettings(command, ({ name }) => storeSettings.includes(name)).argument(
        "<dir>",
        "folder written by drs export",
      ),
    ),
    [
      ["drs import --workspace research /mnt/research", "datasets keep their ids"],
      ["drs import --workspace copy --new-ids /mnt/research", "next to the originals"],
    ],
  )
    .requiredOption("--workspace <workspace>", "id or name of the target workspace")
    .option("--new-ids", "give the datasets new ids, which are the same every time for this export and workspace")
    .addHelpText(
      "after",
      "\nWorks directly on the stores, also while a server is running. Existing datasets are skipped: run the same command" +
        "\nagain to continue an interrupted import. If the server uses the same model pack, its workers build the index from the" +
        "\nexported features; otherwise they embed the pages again. The plan of the target applies.",
    )
    .action(async (dir: string, flags: ImportFlags) => {
      const output = createOutput(io, flags.json === true);
      keepToOwner();
      const { importInto } = await import("@drs/server/backup");
      const imported = await importInto(settingsOf(flags, io), flags.workspace, {
        dir: resolve(dir),
        newIds: flags.newIds === true,
        signal: io.signal,
        onProgress: tellProgress(output, textOf),
      });
      output.result(imported, () => [textOf(imported)]);
      if (output.json || imported.unfinished === 0) return;
      output.note(`workers continue with ${count(imported.unfinished, "dataset")}: drs jobs watch --all`);
    });
}

const textOf = ({ datasets, present, pages, bytes }: ImportProgress): string =>
  `${count(datasets, "dataset")} (${present} there already), ${count(pages, "page")}, ${formatBytes(bytes)}`;
