import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  AbortMultipartUploadCommand,
  ListMultipartUploadsCommand,
  type ListMultipartUploadsCommandInput,
  type ListMultipartUploadsCommandOutput,
} from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import { unsupported } from "../../../domain/errors.ts";
import type { BlobStore } from "../../../domain/ports/blobs.ts";
import type { S3Address, S3Environment } from "../../s3/settings.ts";
import { createS3Clients, type Bucket, listPages, removeKeys } from "../../s3/client.ts";
import { asking, statusOf, isNotThere } from "../../s3/faults.ts";
import { MissingSource } from "../sources.ts";
import { assembleObject } from "./assemble.ts";
import { neverAborted, objectOf, openObject, statObject } from "./object.ts";
import type { LocalCache } from "./local-cache.ts";
import { putObject } from "./upload.ts";

interface S3BlobOptions extends S3Address {
  readonly environment: S3Environment;
  /** Keeps blobs as local files for readers that seek. */
  readonly cache: LocalCache;
}

/**
 * Opens a store that keeps blobs as objects under a prefix of a bucket. Throws `unsupported` if the bucket does not
 * exist or cannot be accessed.
 */
export async function openS3Blobs({ bucket: name, prefix, environment, cache }: S3BlobOptions): Promise<BlobStore> {
  const clients = createS3Clients(environment);
  const bucket: Bucket = { clients, name, prefix, checksums: environment.checksums };
  const ping = async (): Promise<void> => {
    await asking(clients.usual.send(new HeadBucketCommand({ Bucket: name })));
  };
  await ping().catch((cause: unknown) => {
    clients.close();
    throw unusable(cause, name, environment);
  });

  return {
    put: (key, body, signal = neverAborted) => putObject(bucket, key, body, signal),

    async assemble(key, sources, signal = neverAborted) {
      try {
        return await assembleObject(bucket, key, sources, signal);
      } catch (cause) {
        if (cause instanceof MissingSource) return undefined;
        throw cause;
      }
    },

    async stat(key) {
      const found = await statObject(bucket, key);
      return found && { size: found.size };
    },

    get: async (key, range) => openObject(bucket, key, { range }),

    async asFile(key) {
      for (;;) {
        const found = await statObject(bucket, key);
        if (found === undefined) return undefined;
        const download = async () => (await openObject(bucket, key, { etag: found.etag }))?.body;
        const file = await cache.open(`${name}/${prefix}${key}`, found, download);
        // The object was replaced or removed after the first request, so look again.
        if (file !== undefined) return file;
      }
    },

    async presign(key, { contentType, contentDisposition, expiresInSeconds }) {
      const input = {
        ...objectOf(bucket, key),
        ResponseContentType: contentType,
        ResponseContentDisposition: contentDisposition,
        ResponseCacheControl: "private, max-age=60",
      };
      return asking(getSignedUrl(clients.usual, new GetObjectCommand(input), { expiresIn: expiresInSeconds }));
    },

    async remove(key) {
      await asking(clients.usual.send(new DeleteObjectCommand(objectOf(bucket, key))));
    },

    async removePrefix(start) {
      for await (const page of listPages(bucket, start)) {
        await removeKeys(
          bucket,
          page.map(({ key }) => key),
        );
      }
    },

    removeAbandoned: (now) => abortAbandoned(bucket, now),

    async *list() {
      for await (const page of listPages(bucket, "")) yield* page;
    },

    // An object store does not report its free space; a full one rejects writes.
    freeBytes: async () => Number.POSITIVE_INFINITY,
    ping,
    async close() {
      clients.close();
    },
  };
}

/** Returns the error for a bucket that cannot be used, with advice. */
function unusable(cause: unknown, name: string, { endpoint, region }: S3Environment): Error {
  const place = endpoint === undefined ? `AWS in ${region}` : new URL(endpoint).host;
  const text = new Map([
    [301, `the bucket ${name} is in another region than ${region}; set AWS_REGION`],
    [404, `there is no bucket ${name} at ${place}; make it, or correct --blob-url (DRS_BLOB_URL)`],
    [403, `${place} does not let these credentials into the bucket ${name}; check AWS_ACCESS_KEY_ID and its rights`],
    [401, `${place} does not know these credentials; check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY`],
    [400, `${place} does not take requests for the bucket ${name}; check AWS_REGION and the credentials`],
  ]).get(statusOf(cause instanceof Error && cause.cause !== undefined ? cause.cause : cause));
  const reason = cause instanceof Error ? cause.message : String(cause);
  return unsupported(text ?? `the blob store at ${place} cannot be used: ${reason}`);
}

/** Age of an abandoned upload: none takes a day, so the process of an older one has died. */
const abandonedAfterMs = 24 * 60 * 60 * 1000;

/** Aborts abandoned multipart uploads, because their parts take up room although no list of objects shows them. */
async function abortAbandoned({ clients, name, prefix }: Bucket, now: number): Promise<void> {
  let from: { readonly KeyMarker: string | undefined; readonly UploadIdMarker: string | undefined } | undefined;
  do {
    const input: ListMultipartUploadsCommandInput = { Bucket: name, Prefix: prefix, ...from };
    const page: ListMultipartUploadsCommandOutput = await asking(
      clients.usual.send(new ListMultipartUploadsCommand(input)),
    );
    for (const { Key, UploadId, Initiated } of page.Uploads ?? []) {
      if (Initiated === undefined || now - Initiated.getTime() < abandonedAfterMs) continue;
      const ending = clients.usual.send(new AbortMultipartUploadCommand({ Bucket: name, Key, UploadId }));
      // Another process has aborted it already.
      await asking(ending).catch((cause: unknown) => {
        if (!isNotThere(cause)) throw cause;
      });
    }
    from =
      page.IsTruncated === true
        ? { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker }
        : undefined;
  } while (from !== undefined);
}
