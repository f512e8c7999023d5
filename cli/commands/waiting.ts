import { type Command, Option } from "commander";
import { wholeNumber } from "./command.ts";

export interface WaitingFlags {
  readonly wait?: boolean;
  /** Seconds. */
  readonly patience: number;
}

/** The flags of every command that waits for the jobs that it starts. `accepted`: when it returns otherwise. */
export function withWaiting(command: Command, accepted: string): Command {
  return command
    .option("--wait", "wait until the jobs have finished (default)")
    .option("--no-wait", `return when ${accepted}`)
    .addOption(
      new Option("--patience <seconds>", "how long to try while the server does not answer")
        .argParser(wholeNumber(0, 86_400))
        .default(60),
    );
}
