import { crc32 } from "node:zlib";
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  type CompletedPart,
  CreateMultipartUploadCommand,
  HeadObjectCommand,
  UploadPartCommand,
  UploadPartCopyCommand,
} from "@aws-sdk/client-s3";
import { unsupported } from "../../../domain/errors.ts";
import { asking, ifThere, isNotThere } from "../../s3/faults.ts";
import type { Bucket } from "../../s3/bucket.ts";
import { objectOf } from "./object.ts";
import { crcText, type Digest } from "./checksum.ts";
import { maxParts } from "./piece.ts";

/** An object that is made of parts, in the order in which they are asked for. */
export interface Multipart {
  /** Sends the bytes, which must not change until the promise settles. */
  send(bytes: Uint8Array): Promise<void>;
  /** Copies a whole object inside the store; rejects if it is not there, or no longer the one with the etag. */
  copy(source: { readonly key: string; readonly etag: string }): Promise<void>;
  /** Resolves when all parts are there. */
  settle(): Promise<void>;
}

/**
 * Makes an object of the parts that `work` sends; it is there at once when that has ended, checked against what `digest`
 * has seen. When anything fails nothing is there, and the failure is rethrown. Abandons the upload, also of a process that
 * dies, to the sweep at worst.
 */
export async function withMultipart(
  bucket: Bucket,
  { key, digest, signal }: { key: string; digest: Digest; signal: AbortSignal },
  work: (multipart: Multipart) => Promise<void>,
): Promise<void> {
  const object = objectOf(bucket, key);
  const { usual, sending, patient } = bucket.clients;
  const checksum = bucket.checksums ? ({ ChecksumAlgorithm: "CRC32", ChecksumType: "FULL_OBJECT" } as const) : {};
  // Not cut off by the signal: the endpoint might have begun an upload of which nobody knows the id.
  const { UploadId } = await asking(usual.send(new CreateMultipartUploadCommand({ ...object, ...checksum })));
  const upload = { ...object, UploadId };
  // What is under way is ended with the failure of another part.
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
    // The answer to the first try may have been lost: the second finds no upload any more.
    if (!signal.aborted && isNotThere(cause) && (await isComplete(bucket, object, digest))) return;
    failing.abort(cause);
    await Promise.allSettled(parts);
    await usual.send(new AbortMultipartUploadCommand(upload)).catch(() => undefined);
    throw cause;
  }
}

/** Whether the object holds what the digest has seen. */
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
