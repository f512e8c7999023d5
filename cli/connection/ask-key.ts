import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { usageError } from "../failures.ts";
import { Interrupted, type World } from "../world.ts";

/** No key is longer; whatever is, was piped in by mistake. Characters. */
const longestKey = 4_096;

/** Asks for a key on the terminal, without showing what is typed. Throws a usage error where nobody can be asked. */
export async function askForKey(question: string, { stdin, stderr, signal }: World): Promise<string> {
  if (stdin?.isTTY !== true)
    throw usageError(
      "there is no terminal to ask for the key",
      "pipe it in: drs login --server URL --api-key-stdin < FILE",
    );
  stderr.write(question);
  // Readline shows what is typed by writing it: here it does so into nothing.
  const nowhere = new Writable({ write: (_piece, _encoding, done) => done() });
  const lines = createInterface({ input: stdin, output: nowhere, terminal: true, historySize: 0 });
  // The terminal hands Ctrl-C to whoever reads key by key.
  const stopped = Promise.withResolvers<never>();
  lines.on("SIGINT", () => stopped.reject(new Interrupted("SIGINT")));
  lines.on("close", () => stopped.reject(usageError("no key was given", "ask the server's owner for one")));
  try {
    return checked(await Promise.race([lines.question("", { signal }), stopped.promise]));
  } finally {
    lines.close();
    stderr.write("\n");
  }
}

/** The key that another program writes: everything up to the end, without the line break there. */
export async function readPipedKey({ stdin }: Pick<World, "stdin">): Promise<string> {
  if (stdin === undefined || stdin.isTTY === true)
    throw usageError("nothing is piped into drs", "write it like: drs login --server URL --api-key-stdin < FILE");
  let text = "";
  for await (const piece of stdin) {
    text += String(piece);
    if (text.length > longestKey) break;
  }
  return checked(text);
}

function checked(text: string): string {
  const key = text.trim();
  if (key === "")
    throw usageError("no key was given", "ask the server's owner for one, or make it there: drs keys create");
  // It goes into a header of HTTP.
  if (!/^[\x21-\x7e]+$/.test(key) || key.length > longestKey)
    throw usageError("that is no API key", "it is one word, as drs keys create prints it");
  return key;
}
