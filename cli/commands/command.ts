import { type Command, Option } from "commander";
import type { Drs } from "@drs/client";
import type { Ask } from "../connection/ask.ts";
import { connectTo } from "../connection/connect.ts";
import type { ConnectionFlags } from "../connection/target.ts";
import type { ExitCode } from "../exit-codes.ts";
import { createOutput, type Output } from "../output/output.ts";
import type { CommandIo } from "../command-io.ts";
import { wholeNumber } from "./flag-values.ts";

/** The process that a command runs in, and where its outcome goes. */
export interface Context {
  readonly io: CommandIo;
  /** Sets the exit code of the command; the last call counts. Default: ok. */
  finish(code: ExitCode): void;
  /** Runs the work at the end of the command, however it ends. */
  atEnd(work: () => Promise<void>): void;
  /** Returns the whole program with the arguments and flags of all commands, without running anything. */
  definitions(): Promise<Command>;
}

export interface JsonFlag {
  readonly json?: true;
}

export type ClientFlags = ConnectionFlags & JsonFlag;

/** Everything that a command needs to talk to a server. */
export interface Session {
  readonly drs: Drs;
  /** Asks the server for a path that is not part of the public API. */
  readonly ask: Ask;
  /** Whether the server's links stop working when this command ends, as they do if it serves itself. */
  readonly linksEnd: () => boolean;
  readonly output: Output;
  readonly io: CommandIo;
}

export function withJson(command: Command): Command {
  return command.option("--json", "print JSON on stdout, streams as one document per line");
}

/** Adds the flags of every command that works in a workspace of a server. */
export function withClient(command: Command): Command {
  return withWorkspace(withServer(command));
}

export function withWorkspace(command: Command): Command {
  return command.option(
    "--workspace <workspace>",
    "id or name of the workspace, with a personal token (DRS_WORKSPACE; default: the oldest)",
  );
}

/** Adds the flags of every command that talks to a server. */
export function withServer(command: Command): Command {
  return withConnection(withJson(command));
}

/** Adds the flags that select the server and the key. */
export function withConnection(command: Command): Command {
  return command
    .option("--server <url>", "address of the server (DRS_SERVER; default: from the profile in use)")
    .option("--api-key <key>", "API key (DRS_API_KEY; default: from the profile or the data folder)")
    .option("--profile <name>", "profile created by drs login (DRS_PROFILE; local means the data folder)")
    .option("--data-dir <dir>", "data folder to use instead of a server or profile (DRS_DATA_DIR)");
}

/** Connects to the server. If none runs on this machine, the command serves itself until it ends. */
export async function openSession(flags: ClientFlags, { io, atEnd }: Context): Promise<Session> {
  const output = createOutput(io, flags.json === true);
  const say = (text: string): void => {
    if (!output.json) output.note(text);
  };
  const { drs, ask, linksEnd, close } = await connectTo(flags, io, say);
  atEnd(close);
  return { drs, ask, linksEnd, output, io };
}

/** Adds examples to the end of `--help`: each a command line and its purpose. */
export function withExamples(
  command: Command,
  examples: readonly (readonly [line: string, meaning: string])[],
): Command {
  const width = Math.max(...examples.map(([line]) => line.length));
  const lines = examples.map(([line, meaning]) => `  $ ${line.padEnd(width)}  ${meaning}`);
  return command.addHelpText("after", `\nExamples:\n${lines.join("\n")}`);
}

export interface PagingFlags {
  readonly offset: number;
  readonly limit: number;
}

/** Adds the flags of a list. The service returns at most 100 entries at once. */
export function withPaging(command: Command, limit = 10): Command {
  return command
    .addOption(
      new Option("--limit <n>", "how many entries to show, 1 to 100").argParser(wholeNumber(1, 100)).default(limit),
    )
    .addOption(
      new Option("--offset <n>", "how many entries to skip").argParser(wholeNumber(0, 4_294_967_295)).default(0),
    );
}

export const rowOption = (fallback?: string): Option => {
  const option = new Option("--row <format>", "rendition of each page").choices(["jpg", "pdf", "embedding_image"]);
  return fallback === undefined ? option : option.default(fallback);
};

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
