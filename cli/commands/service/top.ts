import { type Command, Option } from "commander";
import { serverOf } from "../../connection/connect.ts";
import { snapshotLines } from "../../top/lines.ts";
import { lookOnce, watchState } from "../../top/watch.ts";
import { canRedraw } from "../../command-io.ts";
import { type ClientFlags, type Context, openSession, withExamples, withServer } from "../command.ts";
import { wholeNumber } from "../flag-values.ts";

interface TopFlags extends ClientFlags {
  readonly once?: true;
  /** Seconds. */
  readonly every: number;
}

/** Number of jobs in a snapshot that goes into a file or a pipe. */
const jobsOfSnapshot = 20;

export function defineTop(command: Command, context: Context): void {
  withExamples(withServer(command), [
    ["drs top", "queue, workers and oldest jobs, live; q quits"],
    ["drs top --once", "one snapshot as text; also the default if the output is not a terminal"],
    ["drs top --json", "one snapshot for a program"],
  ])
    .option("--once", "print one snapshot and exit")
    .addOption(new Option("--every <seconds>", "interval of updates, 1 to 60").argParser(wholeNumber(1, 60)).default(2))
    .addHelpText(
      "after",
      "\nNeeds an operator's key with the admin scope, as in credentials.json of the data folder. The queue is that of all" +
        "\nprocesses; pages, failures and memory are those of the host of the server.",
    )
    .action(async (flags: TopFlags) => {
      const { ask, output, io } = await openSession(flags, context);
      const { stdout, env, signal } = io;
      if (output.json || flags.once === true || !canRedraw(stdout, env)) {
        const snapshot = await lookOnce(ask, signal);
        output.result(snapshot, () =>
          snapshotLines(snapshot, { style: output.style, rates: [], maxJobs: jobsOfSnapshot }),
        );
        return;
      }
      const { openScreen } = await import("../../top/screen.ts");
      const quit = new AbortController();
      const screen = openScreen(io, await serverOf(flags, io), () => quit.abort());
      try {
        const both = AbortSignal.any([signal, quit.signal]);
        await watchState(ask, { everyMs: flags.every * 1000, signal: both, show: (view) => screen.show(view) });
      } finally {
        await screen.close();
      }
      signal.throwIfAborted();
    });
}
