import { usageError } from "../../failures.ts";
import type { Source as Input } from "../../command-io.ts";

/** Refuses to wait for a terminal, whose user does not know that input is expected. Throws a usage error. */
export function checkInput(input: Input | undefined): void {
  if (input === undefined || input.isTTY === true)
    throw usageError("nothing is piped into drs", "write it like: curl https://example.com/a.pdf | drs upload -");
}

/** Returns piped input as a stream for the client. */
export function inputStream(input: Input): ReadableStream<Uint8Array> {
  return ReadableStream.from(bytesOf(input));
}

async function* bytesOf(input: Input): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const piece of input) yield typeof piece === "string" ? Buffer.from(piece) : piece;
}
