import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { usageError } from "../failures.ts";
import { Interrupted, type CommandIo } from "../command-io.ts";

/** Maximum length of a key in characters; anything longer was piped in by mistake. */
const maxKeyLength = 4_096;

/** Describes a secret to the user who has to enter it. */
export interface SecretKind {
  readonly noun: string;
  /** The flag for piping it in. */
  readonly flag: string;
  /** How to get the secret, in words. */
  readonly source: string;
  /** The form of a valid secret, in words. */
  readonly form: string;
}

export const apiKeyWanted: SecretKind = {
  noun: "API key",
  flag: "--api-key-stdin",
  source: "ask the server's owner for one, or create it there: drs keys create",
  form: "it is one word, as drs keys create prints it",
};

export const invitationWanted: SecretKind = {
  noun: "invitation",
  flag: "--invitation-stdin",
  source: "ask an owner or admin of the organisation for one: drs members invite",
  form: "it is one word, as drs members invite prints it",
};

/** Asks for a secret on the terminal, without showing it. Throws a usage error if there is no terminal. */
export async function askForSecret(
  question: string,
  wanted: SecretKind,
  { stdin, stderr, signal }: CommandIo,
): Promise<string> {
  if (stdin?.isTTY !== true)
    throw usageError(
      `there is no terminal to ask for the ${wanted.noun}`,
      `pipe it in: drs login --server URL ${wanted.flag} < FILE`,
    );
  stderr.write(question);
  // Readline echoes what is typed by writing it; this discards the echo.
  const nowhere = new Writable({ write: (_piece, _encoding, done) => done() });
  const lines = createInterface({ input: stdin, output: nowhere, terminal: true, historySize: 0 });
  // In raw mode, a terminal delivers Ctrl-C as a key.
  const stopped = Promise.withResolvers<never>();
  lines.on("SIGINT", () => stopped.reject(new Interrupted("SIGINT")));
  lines.on("close", () => stopped.reject(usageError(`no ${wanted.noun} was given`, wanted.source)));
  try {
    return checked(await Promise.race([lines.question("", { signal }), stopped.promise]), wanted);
  } finally {
    lines.close();
    stderr.write("\n");
  }
}

/** Reads a secret from another program: all of stdin, without the trailing line break. */
export async function readPipedSecret(wanted: SecretKind, { stdin }: Pick<CommandIo, "stdin">): Promise<string> {
  if (stdin === undefined || stdin.isTTY === true)
    throw usageError("nothing is piped into drs", `write it like: drs login --server URL ${wanted.flag} < FILE`);
  let text = "";
  for await (const piece of stdin) {
    text += String(piece);
    if (text.length > maxKeyLength) break;
  }
  return checked(text, wanted);
}

function checked(text: string, { noun, source, form }: SecretKind): string {
  const secret = text.trim();
  if (secret === "") throw usageError(`no ${noun} was given`, source);
  // The secret is sent in an HTTP header.
  if (!/^[\x21-\x7e]+$/.test(secret) || secret.length > maxKeyLength)
    throw usageError(`that is not a valid ${noun}`, form);
  return secret;
}
