import { resolve } from "node:path";
import type { Command } from "commander";
import type { ExportProgress } from "@drs/server/backup";
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
        onProgress: tellProgress(output, textOf),
      });
      output.result(manifest, () => [textOf(manifest)]);
    });
}

const textOf = ({ datasets, pages, bytes }: ExportProgress): string =>
  `${count(datasets, "dataset")}, ${count(pages, "page")}, ${formatBytes(bytes)}`;
