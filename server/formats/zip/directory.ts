import type { ByteSource } from "../../domain/documents/source.ts";

/** Kinds of problems with a zip container. `limit` means that it exceeds a limit. */
type ArchiveFault = "damaged" | "encrypted" | "limit";

/**
 * Thrown if a zip container cannot be read. The message completes a sentence about the file, such as `its … is
 * damaged`.
 */
export class ArchiveError extends Error {
  readonly fault: ArchiveFault;

  constructor(fault: ArchiveFault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "ArchiveError";
    this.fault = fault;
  }
}

export const damaged = (message: string, options?: ErrorOptions): ArchiveError =>
  new ArchiveError("damaged", message, options);

/** One file in a zip container, as the directory at its end describes it. None of it has been verified. */
export interface ZipEntry {
  /** With `/` between folders; some writers of Office files use `\`. */
  readonly name: string;
  /** 0 for stored, 8 for deflated. */
  readonly method: number;
  readonly encrypted: boolean;
  readonly crc32: number;
  /** Bytes in the container. */
  readonly compressedSize: number;
  /** Bytes when inflated. */
  readonly size: number;
  /** Offset of its local header. */
  readonly offset: number;
}

export interface ZipDirectory {
  readonly entries: readonly ZipEntry[];
  /** Offset of the directory, before which every entry's data must end. */
  readonly start: number;
}

/** Maximum number of parts; the largest presentations seen have a few thousand. */
export const maxEntries = 20_000;
/** Maximum bytes of the directory: 200 per entry, twice as many as Office writes. */
const maxDirectoryBytes = 4 * 2 ** 20;

const entrySignature = 0x02_01_4b_50;
const entryHeaderBytes = 46;
/** Flags for encryption, strong encryption and masked headers. */
const encryptedFlags = 0x1 | 0x40 | 0x20_00;
const utf8Flag = 0x8_00;

/**
 * Reads the central directory of a zip container (PKWARE APPNOTE 6.3.10, sections 4.3.12 to 4.3.16, including ZIP64) in
 * at most three reads. Throws `ArchiveError`, and the errors of the source.
 */
export async function readDirectory(source: ByteSource): Promise<ZipDirectory> {
  const { count, start, size } = await findEnd(source);
  if (count > maxEntries) throw new ArchiveError("limit", `it has ${count} parts; at most ${maxEntries} are accepted`);
  if (size > maxDirectoryBytes) throw new ArchiveError("limit", "its zip directory is larger than 4 MB");
  const bytes = Buffer.from(await source.read(start, start + size));
  if (bytes.length < size) throw cutOff();

  const entries: ZipEntry[] = [];
  let at = 0;
  while (entries.length < count) {
    if (at + entryHeaderBytes > size || bytes.readUInt32LE(at) !== entrySignature) throw cutOff();
    const nameLength = bytes.readUInt16LE(at + 28);
    const extraLength = bytes.readUInt16LE(at + 30);
    const nameEnd = at + entryHeaderBytes + nameLength;
    const end = nameEnd + extraLength + bytes.readUInt16LE(at + 32);
    if (end > size) throw cutOff();
    const flags = bytes.readUInt16LE(at + 8);
    entries.push({
      name: entryName(bytes.subarray(at + entryHeaderBytes, nameEnd), flags),
      method: bytes.readUInt16LE(at + 10),
      encrypted: (flags & encryptedFlags) !== 0,
      crc32: bytes.readUInt32LE(at + 16),
      ...place(bytes, at, bytes.subarray(nameEnd, nameEnd + extraLength)),
    });
    at = end;
  }
  return { entries, start };
}

/** Decodes a name of the directory or of a local header. */
export function entryName(bytes: Uint8Array, flags: number): string {
  // Without the flag, the encoding depends on the writer; the part names of Office files are then ASCII.
  const name = Buffer.from(bytes).toString((flags & utf8Flag) === 0 ? "latin1" : "utf8");
  return name.replaceAll("\\", "/");
}

const sizeInExtra = 0xff_ff_ff_ff;

/** Reads sizes and offset, from the ZIP64 extra field where the header says that they do not fit (section 4.5.3). */
function place(bytes: Buffer, at: number, extra: Buffer): Pick<ZipEntry, "size" | "compressedSize" | "offset"> {
  const wide = wideFields(extra);
  const field = (value: number): number => {
    if (value !== sizeInExtra) return value;
    const next = wide.shift();
    // Without the extra field, the value could only be a real size of 4 GB less one byte, which no Office document has.
    if (next === undefined) throw cutOff();
    return next;
  };
  const size = field(bytes.readUInt32LE(at + 24));
  const compressedSize = field(bytes.readUInt32LE(at + 20));
  const offset = field(bytes.readUInt32LE(at + 42));
  return { size, compressedSize, offset };
}

function wideFields(extra: Buffer): number[] {
  for (let at = 0; at + 4 <= extra.length;) {
    const length = extra.readUInt16LE(at + 2);
    const data = extra.subarray(at + 4, at + 4 + length);
    if (extra.readUInt16LE(at) === 0x00_01) {
      const count = Math.min(3, Math.floor(data.length / 8));
      return Array.from({ length: count }, (_, index) => Number(data.readBigUInt64LE(index * 8)));
    }
    at += 4 + length;
  }
  return [];
}

function cutOff(): ArchiveError {
  return damaged("its zip directory is damaged");
}

/** Entry count, offset and size of a central directory, according to the records at the end of the container. */
interface DirectoryPlace {
  readonly count: number;
  readonly start: number;
  /** Bytes. */
  readonly size: number;
}

const endSignature = 0x06_05_4b_50;
const endBytes = 22;
const maxCommentBytes = 0xff_ff;
const locatorSignature = 0x07_06_4b_50;
const locatorBytes = 20;
const wideEndSignature = 0x06_06_4b_50;
const wideEndBytes = 56;

/**
 * Finds the central directory (APPNOTE 4.3.14 to 4.3.16). Like LibreOffice, this takes the last end record in the file
 * and does not check the length of the comment, because some writers pad their files.
 */
async function findEnd(source: ByteSource): Promise<DirectoryPlace> {
  const tailStart = Math.max(0, source.size - endBytes - maxCommentBytes - locatorBytes);
  const tail = Buffer.from(await source.read(tailStart, source.size));
  const at = lastEnd(tail);
  if (at === undefined) throw damaged("its end is missing, as if it had not been copied or uploaded completely");

  const place = {
    count: tail.readUInt16LE(at + 10),
    size: tail.readUInt32LE(at + 12),
    start: tail.readUInt32LE(at + 16),
  };
  const isWide = place.count === 0xff_ff || place.size === 0xff_ff_ff_ff || place.start === 0xff_ff_ff_ff;
  const locator = at - locatorBytes;
  if (isWide && locator >= 0 && tail.readUInt32LE(locator) === locatorSignature) {
    const wideStart = Number(tail.readBigUInt64LE(locator + 8));
    return within(await wideEnd(source, wideStart, tailStart + locator), wideStart);
  }
  if (tail.readUInt16LE(at + 4) !== 0 || tail.readUInt16LE(at + 6) !== 0) throw split();
  return within(place, tailStart + at);
}

function lastEnd(tail: Buffer): number | undefined {
  for (let at = tail.length - endBytes; at >= 0; at--) {
    if (tail[at] === 0x50 && tail.readUInt32LE(at) === endSignature) return at;
  }
  return undefined;
}

async function wideEnd(source: ByteSource, start: number, limit: number): Promise<DirectoryPlace> {
  if (start + wideEndBytes > limit) throw damaged("its zip directory is damaged");
  const record = Buffer.from(await source.read(start, start + wideEndBytes));
  if (record.length < wideEndBytes || record.readUInt32LE(0) !== wideEndSignature) {
    throw damaged("its zip directory is damaged");
  }
  if (record.readUInt32LE(16) !== 0 || record.readUInt32LE(20) !== 0) throw split();
  return {
    count: Number(record.readBigUInt64LE(32)),
    size: Number(record.readBigUInt64LE(40)),
    start: Number(record.readBigUInt64LE(48)),
  };
}

/**
 * Checks that the directory ends before the record that refers to it. Invalid 64-bit numbers simply give a sum that is
 * too large.
 */
function within(place: DirectoryPlace, limit: number): DirectoryPlace {
  if (place.start + place.size > limit) throw damaged("its zip directory is not where it should be");
  return place;
}

function split(): ArchiveError {
  return damaged("it is one piece of a split zip archive");
}
