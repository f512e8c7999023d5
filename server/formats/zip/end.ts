import type { ByteSource } from "../../domain/documents/source.ts";
import { type ArchiveError, damaged } from "./error.ts";

/** Offset and size of a central directory, as the records at the end of the container give them. */
export interface DirectoryPlace {
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
 * Finds the central directory (APPNOTE 4.3.14 to 4.3.16). Like LibreOffice it takes the last end record in the file
 * and does not check the length of the comment, because some writers pad their files.
 */
export async function findEnd(source: ByteSource): Promise<DirectoryPlace> {
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
 * The directory must end before the record that refers to it. Sums of invalid 64-bit numbers are merely too large
 * here.
 */
function within(place: DirectoryPlace, limit: number): DirectoryPlace {
  if (place.start + place.size > limit) throw damaged("its zip directory is not where it should be");
  return place;
}

function split(): ArchiveError {
  return damaged("it is one piece of a split zip archive");
}
