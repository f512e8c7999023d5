import { resolve } from "node:path";
import type { Command } from "commander";
import type { ExportProgress, ImportProgress } from "@drs/server/backup";
import { createOutput, tellProgress } from "../../output/output.ts";
import { count, formatBytes } from "../../output/amounts.ts";
import { type Context, withExamples, withJson } from "../command.ts";
import { keepToOwner, settingsOf, withSettings } from "./server-settings.ts";
import { storeSettings } from "./verify.ts";

interface ExportFlags extends Record<string, unknown> {
  readonly workspace: string;
  readonly vectors?: true;
  readonly json?: true;
}

export function defineExport(command: Command, { io }: Context): void {
  withExamples(
    withJson(withSettings(command, ({ name }) => storeSettings.includes(name)).argument("<dir>", "an empty folder")),
    [
      ["drs export --workspace research /mnt/research", "documents, their pages and words"],
      [
        "drs export --workspace ws_01k0… --vectors /mnt/research",
        "also the embeddings of pages, for a server with the same model pack",
      ],
    ],
  )
    .requiredOption("--workspace <workspace>", "id or name")
    .option("--vectors", "also the results of the model pack for pages, so that nothing needs to be embedded again")
    .addHelpText(
      "after",
      "\nWorks directly on the stores, also while a server is running. Run the same command again to continue an interrupted" +
        "\nexport. The folder contains no keys, members or links. Its format: docs/reference/export-format.md.",
    )
    .action(async (dir: string, flags: ExportFlags) => {
      const output = createOutput(io, flags.json === true);
      keepToOwner();
      const { exportFrom } = await import("@drs/server/backup");
      const manifest = await exportFrom(settingsOf(flags, io), flags.workspace, {
        dir: resolve(dir),
        withFeatures: flags.vectors === true,
        signal: io.signal,
        onProgress: tellProgress(output, exportText),
      });
      output.result(manifest, () => [exportText(manifest)]);
    });
}

const exportText = ({ datasets, pages, bytes }: ExportProgress): string =>
  `${count(datasets, "dataset")}, ${count(pages, "page")}, ${formatBytes(bytes)}`;

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
        onProgress: tellProgress(output, importText),
      });
      output.result(imported, () => [importText(imported)]);
      if (output.json || imported.unfinished === 0) return;
      output.note(`workers continue with ${count(imported.unfinished, "dataset")}: drs jobs watch --all`);
    });
}

const importText = ({ datasets, present, pages, bytes }: ImportProgress): string =>
  `${count(datasets, "dataset")} (${present} there already), ${count(pages, "page")}, ${formatBytes(bytes)}`;
