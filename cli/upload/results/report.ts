import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { finished } from "node:stream/promises";

/** Writes the results of a run as lines of JSON to a file. */
export interface Report {
  add(value: object): void;
  /** Rejects if any line could not be written. */
  close(): Promise<void>;
}

/** Replaces the file. Rejects, before anything is uploaded, if it cannot be written. */
export async function openReport(path: string): Promise<Report> {
  const stream = createWriteStream(path);
  await once(stream, "open");
  // A failed write is reported at the end; until then the uploads continue.
  stream.on("error", () => undefined);
  return {
    add: (value) => void stream.write(`${JSON.stringify(value)}\n`),
    close: () => finished(stream.end()),
  };
}
