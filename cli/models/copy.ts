import { constants } from "node:fs";
import { open, realpath } from "node:fs/promises";
import { createWriteStream } from "node:fs";
import { join, sep } from "node:path";
import { pipeline } from "node:stream/promises";
import { CliError } from "../failures.ts";
import { sha256Of } from "./download.ts";
import type { FoundFile, WantedFile } from "./plan.ts";
import { refuseFullDisk } from "./room.ts";

interface Copy {
  readonly wanted: WantedFile;
  /** Path inside `folder`. */
  readonly file: string;
  readonly folder: string;
  readonly target: string;
  readonly onProgress: (bytes: number, total: number | undefined) => void;
  readonly signal: AbortSignal;
}

/** Copies a file of a folder, but never follows a link. Throws `CliError` if it is not the wanted file. */
export async function copyFile({ wanted, file, folder, target, onProgress, signal }: Copy): Promise<FoundFile> {
  const path = join(folder, file);
  const [base, real] = await Promise.all([realpath(folder), realpath(path)]).catch((cause: unknown) => {
    throw new CliError(`${path} cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`);
  });
  if (real !== join(base, file.split("/").join(sep))) {
    throw new CliError(`${path} is a link; a model pack holds its files themselves`);
  }
  const handle = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    const { size } = await handle.stat();
    if (wanted.bytes !== undefined && size !== wanted.bytes) {
      throw new CliError(`${path} has ${size} bytes where its manifest says ${wanted.bytes}`);
    }
    await refuseFullDisk(target, size);
    let bytes = 0;
    await pipeline(
      handle.createReadStream({ autoClose: false }),
      async function* (chunks: AsyncIterable<Buffer>) {
        for await (const chunk of chunks) {
          bytes += chunk.length;
          onProgress(bytes, size);
          yield chunk;
        }
      },
      createWriteStream(target, { flush: true }),
      { signal },
    );
  } finally {
    await handle.close();
  }
  const found = { path: wanted.path, bytes: wanted.bytes ?? 0, sha256: await sha256Of(target, signal) };
  if (wanted.sha256 !== undefined && found.sha256 !== wanted.sha256) {
    throw new CliError(`${path} has been changed: its SHA-256 is not the manifest's`);
  }
  return found;
}
