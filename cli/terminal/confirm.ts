import { createInterface } from "node:readline/promises";
import { Interrupted, type CommandIo } from "../command-io.ts";

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
