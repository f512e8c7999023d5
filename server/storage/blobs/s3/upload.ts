import {
  PutObjectCommand,
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  type CompletedPart,
  CreateMultipartUploadCommand,
  HeadObjectCommand,
  UploadPartCommand,
  UploadPartCopyCommand,
} from "@aws-sdk/client-s3";
import type { StoredBlob } from "../../../domain/ports/blobs.ts";
import { asking, ifThere, isNotThere } from "../../s3/faults.ts";
import { untilAborted } from "../write.ts";
import type { Bucket } from "../../s3/client.ts";
import { objectOf, createDigest, type Digest, crcText } from "./object.ts";
import { crc32 } from "node:zlib";
import { unsupported } from "../../../domain/errors.ts";

/**
 * Stores the body. A small body is sent in one request, a larger one in parts: one part is sent while the next is
 * filled.
 */
export async function putObject(
  bucket: Bucket,
  key: string,
  body: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<StoredBlob> {
  signal.throwIfAborted();
  const digest = createDigest();
  const chunks = untilAborted(body, signal);
  const first = createPiece();
  try {
    for (;;) {
      const next = await chunks.next();
      if (next.done === true) break;
      digest.add(next.value);
      const taken = first.fill(next.value);
      if (taken === next.value.byteLength) continue;
      const rest = next.value.subarray(taken);
      await withMultipart(bucket, { key, digest, signal }, (multipart) =>
        sendPieces(multipart, { full: first, rest, chunks, digest }),
      );
      return digest.stored();
    }
    signal.throwIfAborted();
    await putSmall(bucket, key, { bytes: first.bytes(), digest, signal });
    return digest.stored();
  } finally {
    await chunks.return(undefined);
  }
}

export async function putSmall(
  bucket: Bucket,
  key: string,
  { bytes, digest, signal }: { bytes: Uint8Array; digest: Digest; signal: AbortSignal },
): Promise<void> {
  const input = { ...objectOf(bucket, key), Body: bytes, ...(bucket.checksums && { ChecksumCRC32: digest.crc() }) };
  await asking(bucket.clients.sending.send(new PutObjectCommand(input), { abortSignal: signal }), signal);
}

interface StreamedBody {
  /** The first part. */
  readonly full: Piece;
  /** The bytes of the last chunk that did not fit into the first part. */
  readonly rest: Uint8Array;
  readonly chunks: AsyncIterable<Uint8Array>;
  readonly digest: Digest;
}

async function sendPieces(multipart: Multipart, { full, rest, chunks, digest }: StreamedBody): Promise<void> {
  let sending = full;
  let sent = multipart.send(sending.bytes());
  let filling = createPiece();

  async function take(chunk: Uint8Array): Promise<void> {
    for (let left = chunk; left.byteLength > 0;) {
      if (filling.length() === pieceBytes) {
        await sent;
        sent = multipart.send(filling.bytes());
        // A failure is thrown where this promise is awaited: before the next part, or at the end.
        sent.catch(() => undefined);
        [sending, filling] = [filling, sending];
        filling.empty();
      }
      left = left.subarray(filling.fill(left));
    }
  }

  sent.catch(() => undefined);
  await take(rest);
  for await (const chunk of chunks) {
    digest.add(chunk);
    await take(chunk);
  }
  await sent;
  await multipart.send(filling.bytes());
}

/** A multipart upload. The order of the calls determines the order of the parts in the object. */
export interface Multipart {
  /** Sends the bytes, which must not change until the promise settles. */
  send(bytes: Uint8Array): Promise<void>;
  /** Copies a whole object inside the store; rejects if it does not exist or no longer has the etag. */
  copy(source: { readonly key: string; readonly etag: string }): Promise<void>;
  /** Resolves when all parts have been stored. */
  settle(): Promise<void>;
}

/**
 * Makes an object of the parts that `work` sends. The whole object appears after `work` has ended, checked against
 * `digest`. If anything fails, no object is created and the failure is rethrown. If the parts cannot be removed, for
 * example because the process dies, the sweep of abandoned uploads removes them.
 */
export async function withMultipart(
  bucket: Bucket,
  { key, digest, signal }: { key: string; digest: Digest; signal: AbortSignal },
  work: (multipart: Multipart) => Promise<void>,
): Promise<void> {
  const object = objectOf(bucket, key);
  const { usual, sending, patient } = bucket.clients;
  const checksum = bucket.checksums ? ({ ChecksumAlgorithm: "CRC32", ChecksumType: "FULL_OBJECT" } as const) : {};
  // The signal does not abort this request, because the store might then have begun an upload with an unknown id.
  const { UploadId } = await asking(usual.send(new CreateMultipartUploadCommand({ ...object, ...checksum })));
  const upload = { ...object, UploadId };
  // The failure of one part aborts the others.
  const failing = new AbortController();
  const ended = AbortSignal.any([signal, failing.signal]);
  const parts: Promise<CompletedPart>[] = [];

  function add(start: (number: number) => Promise<CompletedPart>): Promise<void> {
    if (parts.length === maxParts) throw unsupported("the document is too large for the object store");
    const part = start(parts.length + 1);
    part.catch((cause: unknown) => failing.abort(cause));
    parts.push(part);
    return part.then(() => undefined);
  }

  const multipart: Multipart = {
    send: (bytes) =>
      add(async (PartNumber) => {
        const ChecksumCRC32 = crcText(crc32(bytes));
        const input = { ...upload, PartNumber, Body: bytes, ...(bucket.checksums && { ChecksumCRC32 }) };
        const { ETag } = await asking(sending.send(new UploadPartCommand(input), { abortSignal: ended }), ended);
        return { PartNumber, ETag, ...(bucket.checksums && { ChecksumCRC32 }) };
      }),

    copy: ({ key: source, etag }) =>
      add(async (PartNumber) => {
        const { Bucket: name, Key: from } = objectOf(bucket, source);
        const input = { ...upload, PartNumber, CopySource: `${name}/${from}`, CopySourceIfMatch: etag };
        const { CopyPartResult } = await asking(
          patient.send(new UploadPartCopyCommand(input), { abortSignal: ended }),
          ended,
        );
        const { ETag, ChecksumCRC32 } = CopyPartResult ?? {};
        return { PartNumber, ETag, ...(ChecksumCRC32 !== undefined && { ChecksumCRC32 }) };
      }),

    settle: async () => void (await Promise.all(parts)),
  };

  try {
    signal.throwIfAborted();
    await work(multipart);
    const input = {
      ...upload,
      MultipartUpload: { Parts: await Promise.all(parts) },
      ...(bucket.checksums && { ChecksumCRC32: digest.crc(), ChecksumType: "FULL_OBJECT" as const }),
    };
    await asking(patient.send(new CompleteMultipartUploadCommand(input), { abortSignal: signal }), signal);
  } catch (cause) {
    // The response to the first attempt may have been lost; the second attempt then finds no upload.
    if (!signal.aborted && isNotThere(cause) && (await isComplete(bucket, object, digest))) return;
    failing.abort(cause);
    await Promise.allSettled(parts);
    await usual.send(new AbortMultipartUploadCommand(upload)).catch(() => undefined);
    throw cause;
  }
}

/** Whether the stored object has the size and checksum of the digest. */
async function isComplete(
  { clients, checksums }: Bucket,
  object: ReturnType<typeof objectOf>,
  digest: Digest,
): Promise<boolean> {
  if (!checksums) return false;
  const input = { ...object, ChecksumMode: "ENABLED" as const };
  const found = await asking(ifThere(clients.usual.send(new HeadObjectCommand(input))));
  return found?.ContentLength === digest.size() && found.ChecksumCRC32 === digest.crc();
}

/** Minimum bytes of a part, except the last: https://docs.aws.amazon.com/AmazonS3/latest/userguide/qfacts.html. */
export const minPartBytes = 5 * 2 ** 20;
/** Maximum bytes of a part that is copied inside the store (the same source). */
export const maxCopiedBytes = 5 * 2 ** 30;
const maxParts = 10_000;

/**
 * Bytes per part: twice the minimum, so that anything larger than the minimum can be cut into parts of a valid size.
 */
export const pieceBytes = 2 * minPartBytes;

const firstBytes = 256 * 1024;

/** A reusable buffer that grows with its content, up to `pieceBytes`. */
interface Piece {
  /** Copies as many bytes as fit, up to a total of `maxBytes`, and returns how many it copied. */
  fill(bytes: Uint8Array, maxBytes?: number): number;
  length(): number;
  /** Valid until the piece is emptied. */
  bytes(): Uint8Array;
  empty(): void;
}

export function createPiece(): Piece {
  let buffer = Buffer.allocUnsafeSlow(firstBytes);
  let length = 0;
  return {
    fill(bytes, maxBytes = pieceBytes) {
      const count = Math.min(bytes.byteLength, maxBytes - length);
      if (length + count > buffer.length) {
        const larger = Buffer.allocUnsafeSlow(Math.min(pieceBytes, Math.max(length + count, buffer.length * 2)));
        larger.set(buffer.subarray(0, length));
        buffer = larger;
      }
      buffer.set(bytes.subarray(0, count), length);
      length += count;
      return count;
    },
    length: () => length,
    bytes: () => buffer.subarray(0, length),
    empty() {
      length = 0;
    },
  };
}
