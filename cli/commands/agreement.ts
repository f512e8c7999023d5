import type { Command } from "commander";
import { exitCodes } from "../exit-codes.ts";
import { usageError } from "../failures.ts";
import type { Context } from "./command.ts";
import { createInterface } from "node:readline/promises";
import { type CommandIo, Interrupted } from "../command-io.ts";

export interface AgreementFlags {
  readonly yes?: true;
}

/**
 * Adds `--yes` to a command that permanently deletes or revokes something that others may use: documents, backups, keys,
 * members, webhooks, links. Commands whose effect can be undone do not ask.
 */
export function withAgreement(command: Command): Command {
  return command.option("--yes", "do not ask for confirmation; required if there is no terminal");
}

interface Asking {
  /** Advice for the error when there is nobody to ask. */
  readonly next?: string;
  /** Shows what is about to be changed, before the question. */
  readonly show?: () => Promise<void>;
}

/**
 * Returns whether the user agrees, by the flag or on the terminal. A refusal is reported and sets the exit code. Throws
 * a usage error if there is nobody to ask.
 */
export async function agrees(
  question: string,
  { yes }: AgreementFlags,
  { io, finish }: Context,
  { next = "confirm with --yes", show = () => Promise.resolve() }: Asking = {},
): Promise<boolean> {
  if (yes === true) return true;
  if (!canAsk(io)) throw usageError(`nothing was done, because there is no terminal to confirm: ${question}`, next);
  await show();
  if (await confirm(question, io)) return true;
  io.stderr.write("nothing was done\n");
  finish(exitCodes.failed);
  return false;
}

/** Returns whether a question can be asked: stdin and stderr are a terminal. */
export function canAsk({ stdin, stderr }: CommandIo): boolean {
  return stdin?.isTTY === true && stderr.isTTY === true;
}

/** Asks on the terminal; only y or yes confirms. Throws `Interrupted` on Ctrl-C. */
export async function confirm(question: string, { stdin, stderr, signal }: CommandIo): Promise<boolean> {
  if (stdin === undefined) return false;
  const lines = createInterface({ input: stdin, output: stderr });
  // In raw mode, a terminal delivers Ctrl-C as a key; Ctrl-D means no.
  const ended = Promise.withResolvers<string>();
  lines.on("SIGINT", () => ended.reject(new Interrupted("SIGINT")));
  lines.on("close", () => ended.resolve(""));
  try {
    const answer = await Promise.race([lines.question(`${question} [y/N] `, { signal }), ended.promise]);
    return /^y(es)?$/i.test(answer.trim());
  } catch (cause) {
    // Leave the line of the question.
    stderr.write("\n");
    throw cause;
  } finally {
    lines.close();
  }
}
