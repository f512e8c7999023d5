import { crc32 } from "node:zlib";

/*
 * A record: a mark (4 bytes), the length of the value and a checksum (32 bits, little-endian), the digest of the key (16 bytes),
 * the value. The checksum (CRC-32) is of digest and value.
 */

const mark = 0x31_77_72_64;
export const digestLength = 16;
export const headerLength = 12 + digestLength;

interface Header {
  /** A letter for each byte. */
  readonly digest: string;
  readonly length: number;
  readonly checksum: number;
}

export function encodeRecord(digest: string, value: Uint8Array): Buffer {
  const record = Buffer.alloc(headerLength + value.length);
  record.writeUInt32LE(mark, 0);
  record.writeUInt32LE(value.length, 4);
  record.write(digest, 12, "latin1");
  record.set(value, headerLength);
  record.writeUInt32LE(crc32(record.subarray(12)), 8);
  return record;
}

/** Undefined where no record begins. */
export function decodeHeader(bytes: Buffer, at: number): Header | undefined {
  if (bytes.length < at + headerLength || bytes.readUInt32LE(at) !== mark) return undefined;
  const [length, checksum] = [bytes.readUInt32LE(at + 4), bytes.readUInt32LE(at + 8)];
  return { digest: bytes.toString("latin1", at + 12, at + headerLength), length, checksum };
}

/** The records of a file, up to one that is not whole; checksums are not looked at. */
export function* recordsIn(bytes: Buffer): Generator<{ digest: string; at: number; length: number }> {
  for (let at = 0; at < bytes.length;) {
    const header = decodeHeader(bytes, at);
    if (header === undefined || at + headerLength + header.length > bytes.length) return;
    yield { digest: header.digest, at, length: header.length };
    at += headerLength + header.length;
  }
}
