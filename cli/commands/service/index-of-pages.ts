import type { Command } from "commander";
import type { MaintenanceStores } from "@drs/server";
import { exitCodes } from "../../exit-codes.ts";
import { CliError, usageError } from "../../failures.ts";
import { count } from "../../output/amounts.ts";
import { createOutput, type Output } from "../../output/output.ts";
import { reportVerdicts, storeSettings } from "./verify.ts";
import type { CommandIo } from "../../command-io.ts";
import { type Context, withExamples } from "../command.ts";
import { settingsOf, withSettings } from "./server-settings.ts";
import { setTimeout } from "node:timers/promises";
import type { Settings } from "@drs/server/settings";

interface IndexFlags extends Record<string, unknown> {
  readonly dataset?: string;
  readonly all?: true;
  readonly json?: true;
  readonly wait?: boolean;
}

export function defineIndex(command: Command, context: Context): void {
  defineIndexVerify(command, context);
  defineRebuild(command, context);
}

function defineIndexVerify(command: Command, context: Context): void {
  withExamples(
    withStores(command.command("verify").description("compare the index with the pages that should be in it")),
    [
      ["drs index verify", "of all datasets; unreadable tables are rebuilt"],
      ["drs index verify --dataset ds_01K0", "of one"],
    ],
  )
    .option("--dataset <id>", "only this dataset")
    .addHelpText("after", "\nExits with 0 if everything is correct, 1 if pages are missing or rows are orphaned.")
    .action((flags: IndexFlags) =>
      withMaintenanceStores(context, flags, async (stores, output) => {
        const { verify } = await import("@drs/server");
        const datasetId = flags.dataset === undefined ? undefined : await datasetOf(stores, flags.dataset);
        const { signal } = context.io;
        const verdicts = verify(stores, { indexOnly: true, datasetId, repair: false, signal });
        context.finish(await reportVerdicts(output, verdicts));
      }),
    );
}

function defineRebuild(command: Command, context: Context): void {
  withExamples(withStores(command.command("rebuild").description("embed pages again, while the index stays in use")), [
    ["drs index rebuild --dataset ds_01K0", "all pages of one dataset"],
    ["drs index rebuild --all", "everything; searches continue to work"],
  ])
    .option("--dataset <id>", "this dataset")
    .option("--all", "all vectorized datasets")
    .option("--wait", "wait until it is done (default)")
    .option("--no-wait", "leave it to the workers")
    .addHelpText("after", "\nIf no server is running on the stores, this command does the work itself.")
    .action((flags: IndexFlags) => {
      if ((flags.dataset === undefined) === (flags.all !== true))
        throw usageError("it is not clear what to rebuild", "name one dataset with --dataset, or all with --all");
      return withMaintenanceStores(context, flags, async (stores, output) => {
        const datasets = flags.dataset === undefined ? await enterAll(stores) : await enterOne(stores, flags.dataset);
        if (!output.json) output.note(`${count(datasets, "dataset")} to be embedded again`);
        const isDone = flags.wait ?? true;
        if (isDone) await waitForRebuilds(stores, output, { flags, io: context.io });
        output.result({ datasets, isDone }, () => [isDone ? "the index is complete again" : "scheduled"]);
      });
    });
}

const withStores = (command: Command): Command =>
  withSettings(command, ({ name }) => storeSettings.includes(name)).option("--json", "print JSON");

async function withMaintenanceStores(
  { io }: Context,
  flags: IndexFlags,
  work: (stores: MaintenanceStores, output: Output) => Promise<void>,
): Promise<void> {
  const { openForMaintenance } = await import("@drs/server");
  const stores = await openForMaintenance(settingsOf(flags, io));
  try {
    await work(stores, createOutput(io, flags.json === true));
  } finally {
    await stores.close();
  }
}

async function datasetOf({ metadata }: MaintenanceStores, text: string) {
  const { parseDatasetId } = await import("@drs/server");
  const id = parseDatasetId(text);
  const dataset = id && (await metadata.datasets.getUnscoped(id, Date.now()));
  if (dataset !== undefined) return dataset.id;
  throw new CliError(`there is no dataset ${JSON.stringify(text)}`, {
    next: "drs datasets list shows the datasets",
    exitCode: exitCodes.failed,
  });
}

async function enterOne(stores: MaintenanceStores, text: string): Promise<number> {
  const id = await datasetOf(stores, text);
  const index = await stores.metadata.packs.ofDataset(id);
  if (index === undefined) {
    throw new CliError(`dataset ${id} has not been vectorized`, {
      next: `drs datasets vectorize ${id}`,
      exitCode: exitCodes.failed,
    });
  }
  await stores.metadata.indices.rebuild([id], "all");
  return 1;
}

async function enterAll({ metadata }: MaintenanceStores): Promise<number> {
  const { rebuildAll } = await import("@drs/server");
  return rebuildAll(metadata, "all");
}

const lookMs = 500;

async function waitForRebuilds(
  { metadata }: MaintenanceStores,
  output: Output,
  { flags, io }: { flags: IndexFlags; io: CommandIo },
): Promise<void> {
  let told = -1;
  await whileWorking(settingsOf(flags, io), async (sleep) => {
    for (;;) {
      const left = await metadata.indices.countRebuilds();
      if (left === 0) return;
      if (left !== told && told !== -1 && !output.json) output.note(`${count(left, "dataset")} left`);
      told = left;
      await sleep(lookMs, io.signal);
    }
  });
}

type Sleep = (ms: number, signal: AbortSignal) => Promise<void>;

/**
 * Runs a function while a worker is running on the stores: that of the server that has the data folder, or else one of
 * its own.
 */
async function whileWorking(settings: Settings, wait: (sleep: Sleep) => Promise<void>): Promise<void> {
  const sleep: Sleep = async (ms, signal) => setTimeout(ms, undefined, { signal });
  const { isLocked } = await import("@drs/server/folder");
  if (isLocked(settings.dataDir)) return wait(sleep);
  const { work } = await import("@drs/server");
  const worker = await work({ ...settings, log: "error" });
  try {
    await wait(sleep);
  } finally {
    await worker.close();
  }
}
