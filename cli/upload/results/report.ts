import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { finished } from "node:stream/promises";

/** Results of a run as lines of JSON in a file. */
export interface Report {
  add(value: object): void;
  /** Rejects with what kept any line from being written. */
  close(): Promise<void>;
}

/** Replaces the file. Rejects, before anything is uploaded, when it cannot be written. */
export async function openReport(path: string): Promise<Report> {
  const stream = createWriteStream(path);
  await once(stream, "open");
  // The failure of any write is told at the end; until then the uploads go on.
  stream.on("error", () => undefined);
  return {
    add: (value) => void stream.write(`${JSON.stringify(value)}\n`),
    close: () => finished(stream.end()),
  };
}
