import { promisify } from "node:util";
import { crc32, inflateRaw } from "node:zlib";
import type { ByteSource } from "../../domain/documents/source.ts";
import { ArchiveError, damaged, entryName, type ZipDirectory, type ZipEntry } from "./directory.ts";

export const stored = 0;
export const deflated = 8;

const localSignature = 0x04_03_4b_50;
const localHeaderBytes = 30;

/** Byte offsets of an entry's data; `end` is exclusive. */
export interface DataRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Finds the data of an entry (APPNOTE 4.3.7). The local header must agree with the directory, because readers
 * differ in which of the two they trust. Throws `ArchiveError`.
 */
export async function dataRange(source: ByteSource, entry: ZipEntry, directory: ZipDirectory): Promise<DataRange> {
  if (entry.encrypted) throw new ArchiveError("encrypted", "its parts are encrypted");
  if (entry.method !== stored && entry.method !== deflated) {
    throw damaged("its parts are compressed in a way that Office does not know");
  }
  if (entry.offset + localHeaderBytes > directory.start) throw misplaced();
  // One read gets the header and the name, which has at most three bytes for each UTF-16 unit.
  const head = Buffer.from(await source.read(entry.offset, entry.offset + localHeaderBytes + 3 * entry.name.length));
  if (head.length < localHeaderBytes || head.readUInt32LE(0) !== localSignature) throw misplaced();
  const nameEnd = localHeaderBytes + head.readUInt16LE(26);
  const name = entryName(head.subarray(localHeaderBytes, nameEnd), head.readUInt16LE(6));
  if (name !== entry.name || head.readUInt16LE(8) !== entry.method) {
    throw damaged("its zip directory and its parts contradict each other");
  }
  const start = entry.offset + nameEnd + head.readUInt16LE(28);
  const end = start + entry.compressedSize;
  if (end > directory.start) throw misplaced();
  return { start, end };
}

/** Maximum bytes by which deflate makes data longer (with stored blocks), whatever the encoder. */
const deflateOverhead = 64 * 1024;

const inflate = promisify<Uint8Array, { maxOutputLength: number }, Buffer>(inflateRaw);

/** Reads a small entry completely. Throws `ArchiveError`, also as soon as an entry inflates to more than `maxBytes`. */
export async function readEntry(
  source: ByteSource,
  entry: ZipEntry,
  { directory, maxBytes }: { directory: ZipDirectory; maxBytes: number },
): Promise<Uint8Array> {
  if (entry.size > maxBytes || entry.compressedSize > maxBytes + deflateOverhead) throw tooLong(entry);
  const { start, end } = await dataRange(source, entry, directory);
  const data = await source.read(start, end);
  const bytes = entry.method === stored ? data : await inflated(data, entry, maxBytes);
  if (bytes.length !== entry.size || crc32(bytes) !== entry.crc32) {
    throw damaged(`its part ${shownName(entry)} is not what the directory says`);
  }
  return bytes;
}

async function inflated(data: Uint8Array, entry: ZipEntry, maxBytes: number): Promise<Uint8Array> {
  try {
    // Zero would mean no limit.
    return await inflate(data, { maxOutputLength: Math.max(1, maxBytes) });
  } catch (cause) {
    if (cause instanceof RangeError) throw tooLong(entry);
    throw damaged(`its part ${shownName(entry)} cannot be unpacked`, { cause });
  }
}

/** Returns the name of an entry for a message, short and in ASCII, because a file may contain any name. */
export function shownName({ name }: Pick<ZipEntry, "name">): string {
  return name.replace(/[^\x21-\x7e]/g, "?").slice(0, 80);
}

function tooLong(entry: ZipEntry): ArchiveError {
  return new ArchiveError("limit", `its part ${shownName(entry)} is too long`);
}

function misplaced(): ArchiveError {
  return damaged("its parts are not where the zip directory says");
}
