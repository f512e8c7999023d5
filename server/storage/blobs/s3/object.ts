import { GetObjectCommand, type GetObjectCommandOutput, HeadObjectCommand } from "@aws-sdk/client-s3";
import { Readable } from "node:stream";
import { crc32 } from "node:zlib";
import type { ByteRange, OpenBlob, StoredBlob } from "../../../domain/ports/blobs.ts";
import { StoreError } from "../../../domain/storage-fault.ts";
import { asking, ifThere, statusOf, storeErrorOf } from "../../s3/faults.ts";
import type { Bucket } from "../../s3/client.ts";
import { segmentsOf } from "../keys.ts";
import { createHash } from "node:crypto";

/** Size and etag of an object. */
export interface ObjectFacts {
  readonly size: number;
  /** Differs for other bytes stored under the same key. */
  readonly etag: string;
}

export async function statObject(
  bucket: Bucket,
  key: string,
  signal: AbortSignal = neverAborted,
): Promise<ObjectFacts | undefined> {
  const request = bucket.clients.usual.send(new HeadObjectCommand(objectOf(bucket, key)), { abortSignal: signal });
  const found = await asking(ifThere(request), signal);
  return found && { size: found.ContentLength ?? 0, etag: found.ETag ?? "" };
}

/** Maximum number of consecutive times that a broken response is resumed without receiving a byte. */
const maxBreaks = 3;

interface ReadOptions {
  readonly range?: ByteRange | undefined;
  /** If given, only an object with this etag is read. */
  readonly etag?: string;
  readonly signal?: AbortSignal;
}

/** Opens an object, or a range of it. Returns undefined if it does not exist or has another etag. */
export async function openObject(
  bucket: Bucket,
  key: string,
  reading: ReadOptions = {},
): Promise<OpenBlob | undefined> {
  const { range, signal = neverAborted } = reading;
  const isBackward = range !== undefined && range.start > range.end;
  const opened = isBackward ? "behind" : await request(bucket, key, reading);
  if (opened === undefined) return undefined;
  if (opened === "behind") {
    const found = await statObject(bucket, key, signal);
    return found && { size: found.size, body: nothing() };
  }
  const size = sizeOf(opened);
  const start = range?.start ?? 0;
  const end = Math.min(range?.end ?? size - 1, size - 1);
  const etag = opened.ETag ?? "";
  return { size, body: bytesOf(bucket, key, { opened, start, end, etag, signal, isWhole: range === undefined }) };
}

async function request(
  bucket: Bucket,
  key: string,
  { range, etag, signal = neverAborted }: ReadOptions,
): Promise<GetObjectCommandOutput | "behind" | undefined> {
  const input = {
    ...objectOf(bucket, key),
    ...(range !== undefined && { Range: `bytes=${range.start}-${range.end}` }),
    ...(etag !== undefined && { IfMatch: etag }),
    ...(bucket.checksums && range === undefined && { ChecksumMode: "ENABLED" as const }),
  };
  try {
    return await ifThere(bucket.clients.usual.send(new GetObjectCommand(input), { abortSignal: signal }));
  } catch (cause) {
    if (statusOf(cause) === 416) return "behind";
    if (statusOf(cause) === 412) return undefined;
    throw signal.aborted ? signal.reason : storeErrorOf(cause);
  }
}

/** Returns the size of the whole object. */
function sizeOf({ ContentRange, ContentLength }: GetObjectCommandOutput): number {
  const total = /\/(\d+)$/.exec(ContentRange ?? "")?.[1];
  return total === undefined ? (ContentLength ?? 0) : Number(total);
}

interface BodyOptions {
  readonly opened: GetObjectCommandOutput;
  readonly start: number;
  readonly end: number;
  readonly etag: string;
  readonly signal: AbortSignal;
  readonly isWhole: boolean;
}

/**
 * Yields the bytes, and resumes with another request if the connection breaks. Throws `StoreError` if the bytes are not
 * the stored ones.
 */
async function* bytesOf(
  bucket: Bucket,
  key: string,
  { opened, start, end, etag, signal, isWhole }: BodyOptions,
): AsyncGenerator<Uint8Array> {
  const isChecked = isWhole && opened.ChecksumCRC32 !== undefined && opened.ChecksumType !== "COMPOSITE";
  let answer = opened;
  let crc = 0;
  let breaks = 0;
  for (let at = start; ;) {
    try {
      for await (const chunk of streamOf(answer)) {
        if (isChecked) crc = crc32(chunk, crc);
        at += chunk.byteLength;
        breaks = 0;
        yield chunk;
      }
      if (at > end) break;
      throw new StoreError("unreachable", "the object store ended its answer too early");
    } catch (cause) {
      const failure: unknown = signal.aborted ? signal.reason : storeErrorOf(cause);
      breaks += 1;
      if (at > end || breaks > maxBreaks || !(failure instanceof StoreError)) throw failure;
      const next = await request(bucket, key, { range: { start: at, end }, etag, signal });
      if (next === undefined || next === "behind") throw failure;
      answer = next;
    }
  }
  if (isChecked && crcText(crc) !== opened.ChecksumCRC32) {
    throw new StoreError("unreachable", `the object store has sent other bytes of ${key} than were stored`);
  }
}

function streamOf({ Body }: GetObjectCommandOutput): AsyncIterable<Uint8Array> {
  if (Body instanceof Readable) return Body;
  throw new TypeError("an answer of the object store has no stream");
}

async function* nothing(): AsyncGenerator<Uint8Array> {
  // A range past the end of the object.
}

export const neverAborted: AbortSignal = new AbortController().signal;

/** Returns the bucket and key for a request about a blob. */
export function objectOf({ name, prefix }: Bucket, key: string): { readonly Bucket: string; readonly Key: string } {
  return { Bucket: name, Key: `${prefix}${segmentsOf(key).join("/")}` };
}

/** Encodes a CRC32 as S3 does: base64 of the big-endian value. */
export function crcText(value: number): string {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value >>> 0);
  return bytes.toString("base64");
}

/** Computes size and checksums of bytes that are added piece by piece. */
export interface Digest {
  add(bytes: Uint8Array): void;
  size(): number;
  /** The CRC32, encoded as by `crcText`. */
  crc(): string;
  stored(): StoredBlob;
}

export function createDigest(): Digest {
  const hash = createHash("sha256");
  let crc = 0;
  let size = 0;
  return {
    add(bytes) {
      hash.update(bytes);
      crc = crc32(bytes, crc);
      size += bytes.byteLength;
    },
    size: () => size,
    crc: () => crcText(crc),
    stored: () => ({ size, sha256: hash.copy().digest("hex") }),
  };
}
