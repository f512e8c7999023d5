import { resolve } from "node:path";
import { type Command, Option } from "commander";
import { createOutput, tellProgress } from "../../output/output.ts";
import { usageError } from "../../failures.ts";
import { formatBytes } from "../../output/amounts.ts";
import type { MoveProgress } from "@drs/server/backup";
import { type Context, withExamples, withJson } from "../command.ts";
import { keepToOwner, settingsOf, withSettings } from "./server-settings.ts";
import { storeSettings } from "./verify.ts";

interface MoveFlags extends Record<string, unknown> {
  readonly toDataDir?: string;
  readonly toDatabaseUrl?: string;
  readonly toBlobUrl?: string;
  readonly toVectorUrl?: string;
  readonly json?: true;
}

const embeddedIn = (dataDir: string) => ({
  dataDir,
  databaseUrl: undefined,
  blobUrl: undefined,
  vectorUrl: undefined,
});

const stages = {
  rows: "copying rows",
  documents: "copying documents",
  comparing: "comparing both sides",
};

export function defineStorage(command: Command, { io }: Context): void {
  const move = command.command("move").description("copy all stored data to other, empty stores");
  withExamples(withJson(withSettings(move, ({ name }) => storeSettings.includes(name))), [
    [
      "drs storage move --to-blob-url s3://documents/drs",
      "documents and features, out of the data folder; rows and index stay in it",
    ],
    ["drs storage move --to-data-dir /srv/drs", "everything, to another folder"],
  ])
    .addOption(new Option("--to-data-dir <dir>", "data folder of the target (default: same as the source)"))
    .addOption(
      new Option("--to-database-url <url>", "database of the target (default: unchanged, or in --to-data-dir)"),
    )
    .addOption(new Option("--to-blob-url <url>", "blob store of the target (default: unchanged, or in --to-data-dir)"))
    .addOption(
      new Option("--to-vector-url <url>", "vector store of the target (default: unchanged, or in --to-data-dir)"),
    )
    .addHelpText(
      "after",
      "\nNo server or worker may use either side meanwhile. Run the same command again to continue an interrupted move; until it" +
        "\nhas ended, the target cannot be served. The source is not changed. At the end, both sides are compared. The index is" +
        "\nnot copied: workers of the target rebuild it from the features, without embedding pages; until then, searches report" +
        "\nincomplete results. Installed model packs and credentials.json are files of the data folder: copy them yourself.",
    )
    .action(async (flags: MoveFlags) => {
      const output = createOutput(io, flags.json === true);
      const from = settingsOf(flags, io);
      const { toDataDir, toDatabaseUrl, toBlobUrl, toVectorUrl } = flags;
      const named = [toDataDir, toDatabaseUrl, toBlobUrl, toVectorUrl];
      if (named.every((flag) => flag === undefined))
        throw usageError("there is no target", "name it with --to-data-dir, --to-database-url, --to-blob-url");
      const rest = toDataDir === undefined ? from : embeddedIn(resolve(toDataDir));
      const to = {
        ...from,
        dataDir: rest.dataDir,
        databaseUrl: toDatabaseUrl ?? rest.databaseUrl,
        blobUrl: toBlobUrl ?? rest.blobUrl,
        vectorUrl: toVectorUrl ?? rest.vectorUrl,
      };
      keepToOwner();
      const { moveStorage } = await import("@drs/server/backup");
      const moved = await moveStorage(from, to, {
        signal: io.signal,
        onStage: (stage) => output.json || output.note(stages[stage]),
        onProgress: tellProgress(output, textOf),
      });
      output.result(moved, () => ["everything is copied"]);
      if (output.json) return;
      output.note(textOf(moved));
      output.note("next: drs verify --deep and drs serve, with the settings of the target");
    });
}

const textOf = ({ rows, blobs, bytes }: MoveProgress): string => `${rows} rows, ${blobs} files (${formatBytes(bytes)})`;
