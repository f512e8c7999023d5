import { type Command, InvalidArgumentError, Option } from "commander";
import type { Drs } from "@drs/client";
import { connectTo } from "../connection/connect.ts";
import type { ConnectionFlags } from "../connection/target.ts";
import type { ExitCode } from "../exit-codes.ts";
import { createOutput, type Output } from "../output/output.ts";
import type { World } from "../world.ts";

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
  return withServer(command).option(
    "--workspace <workspace>",
    "id or name, for who has a personal token (DRS_WORKSPACE; default: the oldest)",
  );
}

/** The flags of every command that talks to a server. */
export function withServer(command: Command): Command {
  return withJson(command)
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
  const { drs, linksEnd, close } = await connectTo(flags, world, say);
  atEnd(close);
  return { drs, linksEnd, output, world };
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

/** A parser of whole numbers from `min` to `max`. */
export function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < min || value > max)
      throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`);
    return value;
  };
}

/** What the parsers of lists accept, for completion. */
const listChoices = new WeakMap<object, readonly string[]>();

/** The words that an option's value, or each entry of its value, must be one of; undefined: any. */
export function choicesOf({ argChoices, parseArg }: Option): readonly string[] | undefined {
  return argChoices ?? (parseArg === undefined ? undefined : listChoices.get(parseArg));
}

/** `read,write` or `read write`: collected over repetitions, each one of the choices. */
export function choices<Choice extends string>(
  known: readonly Choice[],
): (text: string, before?: readonly Choice[]) => readonly Choice[] {
  const parse = (text: string, before: readonly Choice[] = []): readonly Choice[] => {
    const added = text.split(",").map((word) => {
      const choice = known.find((candidate) => candidate === word.trim());
      if (choice === undefined) throw new InvalidArgumentError(`"${word.trim()}" is not one of ${known.join(", ")}.`);
      return choice;
    });
    return [...before, ...added];
  };
  listChoices.set(parse, known);
  return parse;
}

/** Words with commas between, collected over repetitions. */
export function words(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, ...text.split(",").flatMap((word) => word.trim() || [])];
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

/** Days until a dataset expires. */
export function days(text: string): number {
  const value = Number(text);
  if (text.trim() === "" || !(value === -1 || (value > 0 && value <= 36_500))) {
    throw new InvalidArgumentError("It must be -1 (never), or more than 0 and at most 36500.");
  }
  return value;
}
