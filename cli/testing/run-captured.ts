import { Writable } from "node:stream";
import type { ExitCode } from "../exit-codes.ts";
import { run } from "../main.ts";
import type { Source, CommandIo } from "../command-io.ts";

export interface Captured {
  readonly code: ExitCode;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command line in this process as it would run in its own, and captures its output. */
export async function runCaptured(
  words: readonly string[],
  env: CommandIo["env"],
  signal: AbortSignal = new AbortController().signal,
  stdin?: Source,
): Promise<Captured> {
  const stdout = collector();
  const stderr = collector();
  const code = await run(words, { stdout: stdout.sink, stderr: stderr.sink, stdin, env, signal });
  return { code, stdout: stdout.text(), stderr: stderr.text() };
}

function collector(): { sink: Writable; text: () => string } {
  const pieces: Buffer[] = [];
  const sink = new Writable({
    write(piece: Buffer, _encoding, done) {
      pieces.push(piece);
      done();
    },
  });
  return { sink, text: () => Buffer.concat(pieces).toString() };
}
