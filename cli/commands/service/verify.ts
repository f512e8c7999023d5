import type { Command } from "commander";
import { type Context, withExamples } from "../command.ts";
import { createOutput } from "../../output/output.ts";
import { reportVerdicts } from "../../verify/report.ts";
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
      ["drs verify", "checks for missing and orphaned data"],
      ["drs verify --repair", "also repairs what it can"],
      ["drs verify --deep --json", "reads all data completely; one line of JSON per finding"],
    ],
  )
    .option("--repair", "restore missing data if possible, and remove orphaned data")
    .option("--deep", "read all documents and features of pages and compare them with their checksums")
    .option("--json", "print JSON")
    .addHelpText(
      "after",
      "\nWorks directly on the stores, also while a server is running, whose worker rebuilds what has to be rebuilt; data that" +
        "\nis waiting for that is not reported. Exits with 0 if everything is correct or repaired, otherwise with 1.",
    )
    .action(async (flags: VerifyFlags) => {
      const { io } = context;
      const output = createOutput(io, flags.json === true);
      const { openForMaintenance, verify } = await import("@drs/server");
      const stores = await openForMaintenance(settingsOf(flags, io));
      try {
        const verdicts = verify(stores, {
          repair: flags.repair === true,
          deep: flags.deep === true,
          signal: io.signal,
          onStage: (stage) => output.json || output.note(`checking ${stage === "files" ? "stored files" : stage}`),
        });
        context.finish(await reportVerdicts(output, verdicts));
      } finally {
        await stores.close();
      }
    });
}
