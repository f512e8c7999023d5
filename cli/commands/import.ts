import { resolve } from "node:path";
import type { Command } from "commander";
import type { ImportProgress } from "@drs/server/backup";
import { tellProgress } from "../keeping/progress.ts";
import { count, formatBytes } from "../output/amounts.ts";
import { createOutput } from "../output/output.ts";
import { type Context, withExamples, withJson } from "./command.ts";
import { keepToOwner, settingsOf, withSettings } from "./server-settings.ts";
import { storeSettings } from "./verify.ts";

interface ImportFlags extends Record<string, unknown> {
  readonly workspace: string;
  readonly newIds?: true;
  readonly json?: true;
}

export function defineImport(command: Command, { world }: Context): void {
  withExamples(
    withJson(
      withSettings(command, ({ name }) => storeSettings.includes(name)).argument(
        "<dir>",
        "what drs export has written",
      ),
    ),
    [
      ["drs import --workspace research /mnt/research", "datasets keep their ids"],
      ["drs import --workspace copy --new-ids /mnt/research", "beside the ones that they were exported from"],
    ],
  )
    .requiredOption("--workspace <workspace>", "id or name of the workspace that gets them")
    .option("--new-ids", "give the datasets other ids, always the same for this export and workspace")
    .addHelpText(
      "after",
      "\nWorks on the stores themselves, also beside a server that is at work. What is there already is passed over: an" +
        "\ninterrupted import is gone on with by the same command. If the server has the same model pack in use, its workers make" +
        "\nthe index of the features that come along; otherwise they embed the pages again. The plan of the target holds.",
    )
    .action(async (dir: string, flags: ImportFlags) => {
      const output = createOutput(world, flags.json === true);
      keepToOwner();
      const { importInto } = await import("@drs/server/backup");
      const imported = await importInto(settingsOf(flags, world), flags.workspace, {
        dir: resolve(dir),
        newIds: flags.newIds === true,
        signal: world.signal,
        onProgress: tellProgress(output, textOf),
      });
      output.result(imported, () => [textOf(imported)]);
      if (output.json || imported.unfinished === 0) return;
      output.note(`workers go on with ${count(imported.unfinished, "dataset")}: drs jobs watch --all`);
    });
}

const textOf = ({ datasets, present, pages, bytes }: ImportProgress): string =>
  `${count(datasets, "dataset")} (${present} there already), ${count(pages, "page")}, ${formatBytes(bytes)}`;
