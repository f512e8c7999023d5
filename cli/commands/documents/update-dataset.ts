import type { Command } from "commander";
import type { Metadata } from "@drs/client";
import { documentId } from "../../documents/find-document.ts";
import { usageError } from "../../failures.ts";
import { meta } from "../../metadata/meta.ts";
import { printable } from "../../output/printable.ts";
import { type ClientFlags, type Context, openSession, withClient, withExamples } from "../command.ts";
import { days, words } from "../flag-values.ts";

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
