import { type FileHandle, open } from "node:fs/promises";
import { crc32, deflateRawSync } from "node:zlib";
import type { ByteSource } from "../../domain/documents/source.ts";
import { ArchiveError, type ZipDirectory, type ZipEntry } from "./directory.ts";
import { dataRange, deflated } from "./entry.ts";

const pieceBytes = 256 * 1024;
/** Maximum size of the container. Office opens only files for which 32-bit offsets and sizes are enough. */
const maxBytes = 0xff_ff_ff_fe;
const version = 20;
const utf8Flag = 0x8_00;

interface RewriteOptions {
  readonly source: ByteSource;
  readonly directory: ZipDirectory;
  /** New contents by entry. All other entries are copied in their compressed form. */
  readonly parts: ReadonlyMap<ZipEntry, Uint8Array>;
}

/**
 * Writes a copy of a zip container with new contents in some of its entries (APPNOTE 4.3.7, 4.3.12, 4.3.16). Times,
 * comments and extra fields are not copied. Throws `ArchiveError`, and the errors of the source and the file system;
 * the file is then incomplete.
 */
export async function rewriteZip(file: string, { source, directory, parts }: RewriteOptions): Promise<void> {
  const handle = await open(file, "wx", 0o600);
  try {
    const central: Buffer[] = [];
    let at = 0;
    for (const entry of directory.entries) {
      const part = parts.get(entry);
      const packed = part && deflateRawSync(part);
      const written = part && packed ? replaced(entry, part, packed) : entry;
      central.push(header(written, at), nameOf(entry));
      at = await append(handle, at, Buffer.concat([header(written), nameOf(entry)]));
      if (packed !== undefined) at = await append(handle, at, packed);
      else at = await copy(handle, at, source, await dataRange(source, entry, directory));
      if (at > maxBytes) throw new ArchiveError("limit", "it is larger than 4 GB");
    }
    const listing = Buffer.concat(central);
    await append(handle, at, Buffer.concat([listing, endRecord(directory.entries.length, listing.length, at)]));
  } finally {
    await handle.close();
  }
}

type Written = Pick<ZipEntry, "name" | "method" | "crc32" | "compressedSize" | "size">;

const nameOf = ({ name }: Pick<ZipEntry, "name">): Buffer => Buffer.from(name, "utf8");

function replaced(entry: ZipEntry, part: Uint8Array, packed: Uint8Array): Written {
  return { ...entry, method: deflated, crc32: crc32(part), compressedSize: packed.length, size: part.length };
}

/** Returns a local header, or, with `offset`, an entry of the directory. */
function header(entry: Written, offset?: number): Buffer {
  const isLocal = offset === undefined;
  const bytes = Buffer.alloc(isLocal ? 30 : 46);
  bytes.writeUInt32LE(isLocal ? 0x04_03_4b_50 : 0x02_01_4b_50, 0);
  if (!isLocal) bytes.writeUInt16LE(version, 4);
  // From the "required version" field on, both have the same fields in the same order.
  const from = isLocal ? 4 : 6;
  bytes.writeUInt16LE(version, from);
  bytes.writeUInt16LE(utf8Flag, from + 2);
  bytes.writeUInt16LE(entry.method, from + 4);
  // 1 January 1980 is the earliest date that a zip container can have.
  bytes.writeUInt16LE(0x21, from + 8);
  bytes.writeUInt32LE(entry.crc32, from + 10);
  bytes.writeUInt32LE(entry.compressedSize, from + 14);
  bytes.writeUInt32LE(entry.size, from + 18);
  bytes.writeUInt16LE(nameOf(entry).length, from + 22);
  if (!isLocal) bytes.writeUInt32LE(offset, 42);
  return bytes;
}

function endRecord(count: number, size: number, start: number): Buffer {
  const bytes = Buffer.alloc(22);
  bytes.writeUInt32LE(0x06_05_4b_50, 0);
  bytes.writeUInt16LE(count, 8);
  bytes.writeUInt16LE(count, 10);
  bytes.writeUInt32LE(size, 12);
  bytes.writeUInt32LE(start, 16);
  return bytes;
}

/** Returns the offset of the next bytes. */
async function append(handle: FileHandle, at: number, bytes: Uint8Array): Promise<number> {
  await handle.writeFile(bytes);
  return at + bytes.length;
}

async function copy(
  handle: FileHandle,
  at: number,
  source: ByteSource,
  { start, end }: { readonly start: number; readonly end: number },
): Promise<number> {
  for (let from = start; from < end; from += pieceBytes) {
    await handle.writeFile(await source.read(from, Math.min(end, from + pieceBytes)));
  }
  return at + (end - start);
}
