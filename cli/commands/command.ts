import { type Command, Option } from "commander";
import type { Drs } from "@drs/client";
import type { Ask } from "../connection/ask.ts";
import { connectTo } from "../connection/connect.ts";
import type { ConnectionFlags } from "../connection/target.ts";
import type { ExitCode } from "../exit-codes.ts";
import { createOutput, type Output } from "../output/output.ts";
import type { World } from "../world.ts";
import { wholeNumber } from "./flag-values.ts";

/** What the process of a command offers, and where its outcome goes. */
export interface Context {
  readonly world: World;
  /** The exit code of the command; the last call counts. Default: ok. */
  finish(code: ExitCode): void;
  /** Work for the end of the command, however it ends. */
  atEnd(work: () => Promise<void>): void;
  /** The whole program with everything that its commands take; nothing of it is run. */
  definitions(): Promise<Command>;
}

export interface JsonFlag {
  readonly json?: true;
}

export type ClientFlags = ConnectionFlags & JsonFlag;

/** What a command that talks to a server has at hand. */
export interface Session {
  readonly drs: Drs;
  /** Asks the server for what is not of the contract. */
  readonly ask: Ask;
  /** Whether the links that the server gives end with this command, as where it serves itself. */
  readonly linksEnd: () => boolean;
  readonly output: Output;
  readonly world: World;
}

export function withJson(command: Command): Command {
  return command.option("--json", "data as JSON on stdout, streams as one document per line");
}

/** The flags of every command that works in a workspace of a server. */
export function withClient(command: Command): Command {
  return withWorkspace(withServer(command));
}

export function withWorkspace(command: Command): Command {
  return command.option(
    "--workspace <workspace>",
    "id or name, for who has a personal token (DRS_WORKSPACE; default: the oldest)",
  );
}

/** The flags of every command that talks to a server. */
export function withServer(command: Command): Command {
  return withConnection(withJson(command));
}

/** What names the server, and the key for it. */
export function withConnection(command: Command): Command {
  return command
    .option("--server <url>", "address of the server (DRS_SERVER; default: that of the profile in use)")
    .option("--api-key <key>", "API key (DRS_API_KEY; default: that of the profile or the data folder)")
    .option("--profile <name>", "profile made by drs login (DRS_PROFILE; local: the data folder)")
    .option("--data-dir <dir>", "data folder to use without any server or profile (DRS_DATA_DIR)");
}

/** Connects to the server; where none runs on this machine, to one in this process that ends with the command. */
export async function openSession(flags: ClientFlags, { world, atEnd }: Context): Promise<Session> {
  const output = createOutput(world, flags.json === true);
  const say = (text: string): void => {
    if (!output.json) output.note(text);
  };
  const { drs, ask, linksEnd, close } = await connectTo(flags, world, say);
  atEnd(close);
  return { drs, ask, linksEnd, output, world };
}

/** Examples at the end of `--help`: the command line, and what it is for. */
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

/** The flags of every list. The service serves at most 100 entries at once. */
export function withPaging(command: Command, limit = 10): Command {
  return command
    .addOption(new Option("--limit <n>", "how many to show, 1 to 100").argParser(wholeNumber(1, 100)).default(limit))
    .addOption(new Option("--offset <n>", "how many to pass over").argParser(wholeNumber(0, 4_294_967_295)).default(0));
}

export const rowOption = (fallback?: string): Option => {
  const option = new Option("--row <format>", "what to get of each page").choices(["jpg", "pdf", "embedding_image"]);
  return fallback === undefined ? option : option.default(fallback);
};
