import { type Command, Option } from "commander";
import { wholeNumber } from "./flag-values.ts";

export interface WaitingFlags {
  readonly wait?: boolean;
  /** Seconds. */
  readonly retryTimeout: number;
}

/**
 * Adds the flags of a command that starts jobs and waits for them. `accepted`: when the command returns with
 * `--no-wait`.
 */
export function withWaiting(command: Command, accepted: string): Command {
  return command
    .option("--wait", "wait until the jobs have finished (default)")
    .option("--no-wait", `return when ${accepted}`)
    .addOption(
      new Option("--retry-timeout <seconds>", "how long to retry while the server does not answer")
        .argParser(wholeNumber(0, 86_400))
        .default(60),
    );
}
