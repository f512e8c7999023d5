import type { Command } from "commander";
import { exitCodes } from "../exit-codes.ts";
import { usageError } from "../failures.ts";
import { canAsk, confirm } from "../terminal/confirm.ts";
import type { Context } from "./command.ts";

export interface AgreementFlags {
  readonly yes?: true;
}

/**
 * The flag of every command that deletes what nothing brings back, or ends what others use: documents, backups, keys,
 * members, webhooks, links. What can be sent, made or signed in to again needs no agreement.
 */
export function withAgreement(command: Command): Command {
  return command.option("--yes", "do not ask; where there is no terminal, nothing is done without this");
}

interface Asking {
  /** What to do where nobody can be asked. */
  readonly next?: string;
  /** Shows what the question is about. */
  readonly show?: () => Promise<void>;
}

/**
 * Whether the user agrees: by the flag, or on the terminal. A refusal is said and becomes the exit code. Throws a usage
 * error where nobody can be asked.
 */
export async function agrees(
  question: string,
  { yes }: AgreementFlags,
  { world, finish }: Context,
  { next = "agree with --yes", show = () => Promise.resolve() }: Asking = {},
): Promise<boolean> {
  if (yes === true) return true;
  if (!canAsk(world)) throw usageError(`nothing is done, since nobody can be asked: ${question}`, next);
  await show();
  if (await confirm(question, world)) return true;
  world.stderr.write("nothing is done\n");
  finish(exitCodes.failed);
  return false;
}
