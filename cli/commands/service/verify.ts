import type { Command } from "commander";
import { type Context, withExamples } from "../command.ts";
import { createOutput, type Output } from "../../output/output.ts";
import { settingsOf, withSettings } from "./server-settings.ts";
import type { Verdict } from "@drs/server";
import { type ExitCode, exitCodes } from "../../exit-codes.ts";
import { count } from "../../output/amounts.ts";
import { printable } from "../../output/printable.ts";

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

const marks: Readonly<Record<Verdict["remedy"], string>> = { repaired: "✓", found: "!", none: "✗" };

/** Prints findings as they come, as lines or JSON, and a summary. Resolves with the exit code. */
export async function reportVerdicts(output: Output, verdicts: AsyncIterable<Verdict>): Promise<ExitCode> {
  const { sentenceOf } = await import("@drs/server");
  const tally = { found: 0, repaired: 0, none: 0 };
  for await (const verdict of verdicts) {
    tally[verdict.remedy] += 1;
    const message = sentenceOf(verdict);
    if (output.json) output.event({ ...verdict.finding, remedy: verdict.remedy, message });
    else output.line(`${marks[verdict.remedy]} ${printable(message)}`);
  }
  const { found, repaired, none } = tally;
  if (!output.json) {
    if (found + repaired + none === 0) output.note("there is no missing or orphaned data");
    if (repaired > 0) output.note(`${count(repaired, "finding")} repaired, or being rebuilt by the workers`);
    if (found > 0) output.note(`${count(found, "finding")} can be repaired: drs verify --repair`);
    if (none > 0) output.note(`${count(none, "finding")} cannot be repaired from the stored data`);
  }
  return found + none > 0 ? exitCodes.failed : exitCodes.ok;
}
