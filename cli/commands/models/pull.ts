import type { Command } from "commander";
import { formatBytes } from "../../output/amounts.ts";
import { createOutput } from "../../output/output.ts";
import { createRate, type ProgressRow, type ProgressView } from "../../ui/progress-row.ts";
import { openProgress } from "../../ui/progress.ts";
import { type Context, type JsonFlag, withExamples, withJson } from "../command.ts";
import { settingsOf, withSettings } from "../service/server-settings.ts";

const wanted: readonly string[] = ["dataDir", "modelsDir", "urlAllow"];

export function definePull(command: Command, context: Context): void {
  withExamples(
    withSettings(
      withJson(
        command
          .command("pull")
          .description("download and install a model pack")
          .argument(
            "<source>",
            "name from the list, owner/name of a hub repository, address of a pack.json, or folder",
          ),
      ),
      ({ name }) => wanted.includes(name),
    ),
    [
      ["drs models pull siglip2-base", "a pack from drs models list"],
      ["drs models pull someone/some-pack@v1", "a repository with a pack.json, at a revision"],
      ["drs models pull ./my-pack", "a folder of this machine"],
    ],
  )
    .addHelpText(
      "after",
      "\nRun it on the server's machine. Run the same command again to continue an interrupted download. Every file is\nchecked against its size and SHA-256. DRS_HUB_URL names another hub than huggingface.co, DRS_HUB_TOKEN is sent\nto it for models that require consent. drs models use activates the pack.",
    )
    .action(async (source: string, flags: JsonFlag & Readonly<Record<string, unknown>>) => {
      const { io } = context;
      const { signal } = io;
      const { modelsDir, urlAllow } = settingsOf(flags, io);
      const [{ parseSource }, { openHub }, { pullPack }] = await Promise.all([
        import("../../models/plan.ts"),
        import("../../models/hub.ts"),
        import("../../models/pull.ts"),
      ]);
      const output = createOutput(io, flags.json === true);
      const parsed = parseSource(source);
      const rows = createFileRows();
      let view: ProgressView | undefined;
      try {
        const pulled = await pullPack({
          source: parsed,
          hub: openHub(io, urlAllow),
          modelsDir,
          async onPlan({ pack, licence }) {
            output.note(`${pack}, licence ${licence}`);
            // Opened only after the note, which it would draw over.
            view = await openProgress(io, output.json);
          },
          onProgress(path, bytes, total) {
            const shown = rows(path, bytes, total);
            view?.update(shown);
          },
          signal,
        });
        await view?.close();
        const { pack, licence, folder, isNew } = pulled;
        output.result({ id: pack, licence, folder, isNew }, () => [
          isNew ? `${pack} is installed in ${folder}` : `${pack} is installed already, in ${folder}`,
          `use it with: drs models use ${pack}`,
        ]);
      } finally {
        await view?.close();
      }
    });
}

/** Creates a function that returns the rows of the files being fetched, given what has arrived of one of them. */
function createFileRows(): (path: string, bytes: number, total: number | undefined) => readonly ProgressRow[] {
  const rows = new Map<string, ProgressRow>();
  const rate = createRate();
  let earlier = 0;
  return (path, bytes, total) => {
    const isWhole = bytes === total;
    const speed = rate(earlier + bytes);
    rows.set(path, {
      id: path,
      label: path,
      state: isWhole ? "done" : "active",
      note: isWhole ? formatBytes(bytes) : "fetching",
      fraction: total === undefined ? undefined : bytes / total,
      amount: [
        total === undefined ? formatBytes(bytes) : `${formatBytes(bytes)} of ${formatBytes(total)}`,
        ...(speed === undefined ? [] : [`${formatBytes(speed)}/s`]),
      ].join(", "),
    });
    const shown = [...rows.values()];
    if (isWhole) {
      rows.delete(path);
      earlier += bytes;
    }
    return shown;
  };
}
