import { createInterface } from "node:readline/promises";
import { Interrupted, type World } from "../world.ts";

/** Whether a question can be asked: both sides are a terminal. */
export function canAsk({ stdin, stderr }: World): boolean {
  return stdin?.isTTY === true && stderr.isTTY === true;
}

/** Asks on the terminal; only y or yes agrees. Throws `Interrupted` on Ctrl-C. */
export async function confirm(question: string, { stdin, stderr, signal }: World): Promise<boolean> {
  if (stdin === undefined) return false;
  const lines = createInterface({ input: stdin, output: stderr });
  // A terminal in raw mode delivers Ctrl-C as a key; Ctrl-D is no answer.
  const ended = Promise.withResolvers<string>();
  lines.on("SIGINT", () => ended.reject(new Interrupted("SIGINT")));
  lines.on("close", () => ended.resolve(""));
  try {
    const answer = await Promise.race([lines.question(`${question} [y/N] `, { signal }), ended.promise]);
    return /^y(es)?$/i.test(answer.trim());
  } catch (cause) {
    // The question stays where the cursor is.
    stderr.write("\n");
    throw cause;
  } finally {
    lines.close();
  }
}
