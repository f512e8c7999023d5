import { setTimeout as sleep } from "node:timers/promises";
import type { Command } from "commander";
import type { Drs, ModelProgress, ModelState } from "@drs/client";
import { connectTo } from "../../connection/connect.ts";
import { targetOf } from "../../connection/target.ts";
import { checkFolderServer } from "../../doctor/service.ts";
import { exitCodes } from "../../exit-codes.ts";
import { CliError } from "../../failures.ts";
import { count } from "../../output/amounts.ts";
import { createOutput, type Output } from "../../output/output.ts";
import type { ProgressRow } from "../../ui/progress-row.ts";
import { openProgress } from "../../ui/progress.ts";
import type { CommandIo } from "../../command-io.ts";
import { type ClientFlags, type Context, withClient, withExamples } from "../command.ts";

/** Poll interval, milliseconds: short enough to look live, long enough to cost the server almost nothing. */
const pollMs = 500;

export function defineUse(command: Command, context: Context): void {
  withExamples(
    withClient(
      command
        .command("use")
        .description("use an installed model pack; documents stay searchable while they are embedded again")
        .argument("<model>", "as in the list: builtin, name, or name@version"),
    ),
    [
      ["drs models use siglip2-base --wait", "returns when every dataset uses it"],
      ["drs models use builtin", "back to the pack that comes with drs, even during a change"],
    ],
  )
    .option("--wait", "follow the change to its end")
    .addHelpText(
      "after",
      "\nOnly for the operator of the service. The pack is tested first, and rejected if it does not work. Datasets change\none after another, after the jobs of users; each uses its old index until the new one is complete.",
    )
    .action(async (model: string, flags: ClientFlags & { readonly wait?: true }) => {
      const { io, finish } = context;
      const output = createOutput(io, flags.json === true);
      const drs = await connectToRunning(model, flags, context);
      const before = await drs.models.use(model, { signal: io.signal });
      const { progress, inUse } = flags.wait === true ? await follow(drs, before, output, io) : before;
      output.result({ inUse, progress }, () => lines(inUse, progress));
      if (flags.wait === true && progress.datasetsFailed > 0) finish(exitCodes.partly);
    });
}

/** Connects to a server that outlives this command, as the change of the model pack does. */
async function connectToRunning(model: string, flags: ClientFlags, { io, atEnd }: Context): Promise<Drs> {
  const target = await targetOf(flags, io);
  if (target.kind === "folder" && !(await checkFolderServer(target.dataDir, io)).isRunning) {
    throw new CliError(`no server runs on the data folder ${target.dataDir}`, {
      next: `start one that uses the pack from the beginning: drs serve --model ${model} (DRS_MODEL)`,
    });
  }
  const { drs, close } = await connectTo(flags, io, () => undefined);
  atEnd(close);
  return drs;
}

async function follow(drs: Drs, begun: ModelState, output: Output, io: CommandIo): Promise<ModelState> {
  const { signal } = io;
  const view = output.json ? undefined : await openProgress(io, false);
  try {
    for (let state = begun; ; state = await drs.models.list({ signal })) {
      if (state.inUse !== begun.inUse) throw new CliError(`${state.inUse} is in use by now`);
      output.event(state.progress);
      view?.update([rowOf(state)]);
      if (isOver(state.progress)) return state;
      await sleep(pollMs, undefined, { signal });
    }
  } finally {
    await view?.close();
  }
}

const isOver = ({ datasetsDone, datasetsFailed, datasetsTotal }: ModelProgress): boolean =>
  datasetsDone + datasetsFailed >= datasetsTotal;

function rowOf({ inUse, progress }: ModelState): ProgressRow {
  const { datasetsDone, datasetsTotal, datasetsFailed, pagesDone, pagesTotal } = progress;
  const ended = datasetsFailed > 0 ? "partly" : "done";
  return {
    id: inUse,
    label: inUse,
    state: isOver(progress) ? ended : "active",
    note: `${datasetsDone} of ${count(datasetsTotal, "dataset")}`,
    fraction: pagesTotal === 0 ? undefined : Math.min(1, pagesDone / pagesTotal),
    amount: `${pagesDone} of ${count(pagesTotal, "page")}`,
  };
}

function lines(inUse: string, progress: ModelProgress): readonly string[] {
  const { datasetsTotal, datasetsDone, datasetsFailed, failures } = progress;
  const left = datasetsTotal - datasetsDone - datasetsFailed;
  return [
    `${inUse} is in use`,
    ...(left > 0
      ? [`${count(left, "dataset")} of ${datasetsTotal} will be embedded again; drs models list shows the progress`]
      : []),
    ...(datasetsFailed > 0 ? [`${count(datasetsFailed, "dataset")} kept the old pack:`] : []),
    ...failures.map(({ datasetId, reason }) => `  ${datasetId}: ${reason}`),
  ];
}
