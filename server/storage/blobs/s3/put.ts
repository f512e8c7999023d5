import { PutObjectCommand } from "@aws-sdk/client-s3";
import type { StoredBlob } from "../../../domain/ports/blobs.ts";
import { asking } from "../../s3/faults.ts";
import { untilAborted } from "../until-aborted.ts";
import type { Bucket } from "../../s3/bucket.ts";
import { objectOf } from "./object.ts";
import { createDigest, type Digest } from "./checksum.ts";
import { type Multipart, withMultipart } from "./multipart.ts";
import { createPiece, type Piece, pieceBytes } from "./piece.ts";

/** Stores the body: in one request if it is small, else in parts, of which one is sent while the next is filled. */
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

interface Rest {
  /** The first part. */
  readonly full: Piece;
  /** Of the chunk that did not fit into it. */
  readonly rest: Uint8Array;
  readonly chunks: AsyncIterable<Uint8Array>;
  readonly digest: Digest;
}

async function sendPieces(multipart: Multipart, { full, rest, chunks, digest }: Rest): Promise<void> {
  let sending = full;
  let sent = multipart.send(sending.bytes());
  let filling = createPiece();

  async function take(chunk: Uint8Array): Promise<void> {
    for (let left = chunk; left.byteLength > 0;) {
      if (filling.length() === pieceBytes) {
        await sent;
        sent = multipart.send(filling.bytes());
        // A failure is thrown where the part is awaited: before the next one, or at the end.
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
