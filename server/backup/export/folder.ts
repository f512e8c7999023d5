import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, mkdir, open, realpath, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { unprocessable } from "../../domain/errors.ts";
import type { StoredBlob } from "../../domain/ports/blobs.ts";
import { writeFileDurably } from "../../storage/blobs/write.ts";
import { folderMode } from "../../storage/private-folder.ts";
import { ifThere } from "../../storage/error-codes.ts";
import { max } from "./format.ts";

/** Bytes per read. */
const chunkBytes = 2 ** 18;

/** Writes a file of an archive: completely or not at all, and durably. */
export async function writeArchiveFile(
  root: string,
  path: string,
  body: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<StoredBlob> {
  const target = join(root, path);
  await mkdir(dirname(target), { recursive: true, mode: folderMode });
  const temporary = `${target}.unfinished`;
  await rm(temporary, { force: true });
  const stored = await writeFileDurably(temporary, body, signal);
  await rename(temporary, target);
  return stored;
}

/**
 * Opens a file of an untrusted archive. Throws `unprocessable` if the file is missing or not a regular file, or if its
 * path contains a link.
 */
export async function openArchiveFile(root: string, path: string): Promise<FileHandle> {
  const full = join(await realpath(root), path);
  const refused = (why: string): Error => unprocessable(`${path} of the archive ${why}`);
  // None of the parent folders may be a link either.
  const real = await ifThere(realpath(full));
  if (real === undefined) throw refused("is missing");
  if (real !== full) throw refused("is a link, which an archive must not have");
  const handle = await open(full, constants.O_RDONLY | constants.O_NOFOLLOW);
  if ((await handle.stat()).isFile()) return handle;
  await handle.close();
  throw refused("is not a regular file");
}

/** Yields the bytes of a file; throws `unprocessable` at the end if their size or checksum is wrong. */
export async function* checkedBytes(
  root: string,
  path: string,
  expected: { readonly size: number; readonly sha256: string },
): AsyncGenerator<Uint8Array> {
  const handle = await openArchiveFile(root, path);
  try {
    const { size } = await handle.stat();
    if (size !== expected.size) throw damaged(path, `has ${size} bytes instead of ${expected.size}`);
    const hash = createHash("sha256");
    for (;;) {
      const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(chunkBytes), 0, chunkBytes);
      if (bytesRead === 0) break;
      const bytes = buffer.subarray(0, bytesRead);
      hash.update(bytes);
      yield bytes;
    }
    if (hash.digest("hex") !== expected.sha256) throw damaged(path, "has other bytes than its checksum says");
  } finally {
    await handle.close();
  }
}

/** Parses JSON Lines. Throws `unprocessable` on a line that is not JSON or is too long. */
export async function* parsedLines(path: string, body: AsyncIterable<Uint8Array>): AsyncGenerator {
  let rest: Buffer[] = [];
  let held = 0;
  for await (const bytes of body) {
    let from = 0;
    for (let end = bytes.indexOf(10); end !== -1; end = bytes.indexOf(10, from)) {
      yield parse(path, Buffer.concat([...rest, bytes.subarray(from, end)]));
      [rest, held, from] = [[], 0, end + 1];
    }
    if (from === bytes.length) continue;
    rest.push(Buffer.from(bytes.subarray(from)));
    held += bytes.length - from;
    if (held > max.lineBytes) throw damaged(path, `has a line of more than ${max.lineBytes} bytes`);
  }
  if (held > 0) yield parse(path, Buffer.concat(rest));
}

function parse(path: string, line: Buffer): unknown {
  try {
    return JSON.parse(line.toString("utf8"));
  } catch {
    throw damaged(path, "has a line that is not JSON");
  }
}

export const damaged = (path: string, problem: string): Error =>
  unprocessable(`${path} of the archive ${problem}; get the archive again`);
