import { megabytes } from "../../errors.ts";
import type { FileHandle } from "node:fs/promises";
import { pipeline, Readable } from "node:stream";
import { crc32, createInflateRaw } from "node:zlib";
import { type DataRange, dataRange, shownName, stored } from "../../../formats/zip/entry.ts";
import type { PrecheckLimits } from "./limits.ts";
import { broken, excessive } from "./refusals.ts";
import type { ByteSource } from "../../../domain/documents/source.ts";
import type { ZipDirectory, ZipEntry } from "../../../formats/zip/directory.ts";

const chunkBytes = 64 * 1024;

/** Bytes read from a container so far. */
export interface Volume {
  compressed: number;
  inflated: number;
}

/**
 * Yields the data of one entry in chunks and counts it into `volume`. Compares size and checksum after the last byte, and stops
 * at once when the data exceeds the declared size. Throws `DocumentError`.
 */
export async function* inflateEntry(
  handle: FileHandle,
  { entry, start, end }: PlacedEntry,
  { volume, limits, signal }: { volume: Volume; limits: PrecheckLimits; signal: AbortSignal | undefined },
): AsyncGenerator<Buffer, undefined> {
  const name = shownName(entry);
  volume.compressed += entry.compressedSize;
  let size = 0;
  let checksum = 0;
  for await (const chunk of open(handle, { start, end, deflated: entry.method !== stored })) {
    signal?.throwIfAborted();
    if (!Buffer.isBuffer(chunk)) throw new TypeError("a byte stream yielded something other than bytes");
    size += chunk.length;
    volume.inflated += chunk.length;
    if (size > entry.size) throw broken(`its part ${name} is longer than declared`);
    if (volume.inflated > limits.inflatedBytes) {
      throw excessive(`it unpacks to more than ${megabytes(limits.inflatedBytes)}; split it and upload the parts`);
    }
    if (isBomb(size, entry.compressedSize, limits) || isBomb(volume.inflated, volume.compressed, limits)) {
      throw excessive(`it unpacks to more than ${limits.ratio} times its size, which only malicious files do`);
    }
    checksum = crc32(chunk, checksum);
    yield chunk;
  }
  if (size !== entry.size || checksum !== entry.crc32) throw broken(`its part ${name} is not complete`);
}

function isBomb(inflated: number, compressed: number, { ratio, ratioFromBytes }: PrecheckLimits): boolean {
  return inflated > ratioFromBytes && inflated > ratio * compressed;
}

async function* open(
  handle: FileHandle,
  { start, end, deflated }: { start: number; end: number; deflated: boolean },
): AsyncGenerator {
  if (!deflated) return yield* readRange(handle, start, end);
  // Errors of the file surface in the inflating stream, which is read below.
  const bytes = Readable.from(readRange(handle, start, end));
  const inflated: Readable = pipeline(bytes, createInflateRaw({ chunkSize: chunkBytes }), () => {});
  try {
    yield* inflated;
  } catch (cause) {
    if (isZlibError(cause)) throw broken("one of its parts cannot be unpacked", { cause });
    throw cause;
  } finally {
    bytes.destroy();
    inflated.destroy();
  }
}

/** Reads without a stream of the handle, which would close the handle at its end. */
async function* readRange(handle: FileHandle, start: number, end: number): AsyncGenerator<Buffer, undefined> {
  for (let at = start; at < end;) {
    const length = Math.min(chunkBytes, end - at);
    const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(length), 0, length, at);
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
    at += bytesRead;
  }
}

function isZlibError(cause: unknown): boolean {
  return cause instanceof Error && "code" in cause && typeof cause.code === "string" && cause.code.startsWith("Z_");
}

/** An entry and the range of its data in the container. */
interface PlacedEntry extends DataRange {
  readonly entry: ZipEntry;
}

/**
 * Returns all entries in the order of their data, and refuses entries that share bytes: they would let a small container inflate
 * without bound (D. Fifield, "A better zip bomb", 2019). Throws `DocumentError` and `ArchiveError`.
 */
export async function placeEntries(
  source: ByteSource,
  directory: ZipDirectory,
  signal?: AbortSignal,
): Promise<PlacedEntry[]> {
  checkNames(directory.entries);
  const placed: PlacedEntry[] = [];
  let taken = 0;
  for (const entry of directory.entries.toSorted((a, b) => a.offset - b.offset)) {
    signal?.throwIfAborted();
    if (entry.offset < taken) throw broken("its parts overlap in the zip container");
    const range = await dataRange(source, entry, directory);
    placed.push({ entry, ...range });
    taken = range.end;
  }
  return placed;
}

/**
 * Refuses names that differ only in case: they are one part (ECMA-376 Part 2, 7.2.2.4), and readers disagree on which of the two
 * counts.
 */
function checkNames(entries: readonly ZipEntry[]): void {
  const seen = new Set<string>();
  for (const entry of entries) {
    const name = entry.name.toLowerCase();
    if (seen.has(name)) throw broken(`its part ${shownName(entry)} occurs twice`);
    seen.add(name);
    if (!isInside(name)) throw broken(`its part ${shownName(entry)} has a name that leads out of the document`);
  }
}

/** Whether a name is relative, without steps upwards, drive letters and control characters. */
function isInside(name: string): boolean {
  return name !== "" && !/^\/|^[a-z]:|\p{Cc}/u.test(name) && !name.split("/").includes("..");
}
