import type { Command } from "commander";
import { type Context, withExamples } from "./command.ts";
import { createOutput } from "../output/output.ts";
import { reportVerdicts } from "../verify/report.ts";
import { settingsOf, withSettings } from "./server-settings.ts";

/** The settings that select the stores to verify, and the models that read their index. */
export const storeSettings: readonly string[] = ["dataDir", "databaseUrl", "blobUrl", "vectorUrl", "modelsDir"];

interface VerifyFlags extends Record<string, unknown> {
  readonly repair?: true;
  readonly deep?: true;
  readonly json?: true;
}

export function defineVerify(command: Command, context: Context): void {
  withExamples(
    withSettings(command, ({ name }) => storeSettings.includes(name)),
    [
      ["drs verify", "whether everything that is stored is there and belongs to something"],
      ["drs verify --repair", "and make again or remove what can be"],
      ["drs verify --deep --json", "read all of them whole; one line of JSON per finding"],
    ],
  )
    .option("--repair", "make again what is missing, remove what belongs to nothing")
    .option("--deep", "read every byte of documents and features of pages and compare it with its checksum")
    .option("--json", "print JSON")
    .addHelpText(
      "after",
      "\nWorks on the stores themselves, also beside a server that is at work; what is to be made again is made by its" +
        "\nworker, and not named while it waits for that. Exits with 0 if all is well or repaired, 1 if something is not.",
    )
    .action(async (flags: VerifyFlags) => {
      const { world } = context;
      const output = createOutput(world, flags.json === true);
      const { openForCare, verify } = await import("@drs/server");
      const care = await openForCare(settingsOf(flags, world));
      try {
        const verdicts = verify(care, {
          repair: flags.repair === true,
          deep: flags.deep === true,
          signal: world.signal,
          onStage: (stage) => output.json || output.note(`looking at ${stage === "files" ? "stored files" : stage}`),
        });
        context.finish(await reportVerdicts(output, verdicts));
      } finally {
        await care.close();
      }
    });
}
