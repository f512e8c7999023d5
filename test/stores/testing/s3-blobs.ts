import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ListMultipartUploadsCommand, ListObjectsV2Command } from "@aws-sdk/client-s3";
import type { BlobStore } from "../../../server/domain/ports/blobs.ts";
import { openLocalCache } from "../../../server/storage/blobs/s3/local-cache.ts";
import { openS3Blobs } from "../../../server/storage/blobs/s3/store.ts";
import { createS3Clients } from "../../../server/storage/s3/client.ts";
import type { S3Server } from "../../servers/s3.ts";

/** An S3 blob store of its own on a server, and what is to be seen of it from outside. */
export interface S3Blobs {
  readonly blobs: BlobStore;
  readonly prefix: string;
  /** The folder of the local cache. */
  readonly folder: string;
  listEverything(): Promise<string[]>;
  dispose(): Promise<void>;
}

let count = 0;

interface Options {
  readonly maxBytes?: number;
  /** Instead of the server's own address. */
  readonly endpoint?: string;
}

export async function openTestBlobs(
  server: S3Server,
  { maxBytes = 2 ** 30, endpoint }: Options = {},
): Promise<S3Blobs> {
  const folder = await mkdtemp(join(tmpdir(), "drs-local-cache-"));
  const prefix = `blobs-${(count += 1)}/`;
  const { bucket } = server;
  const cache = await openLocalCache({ folder, maxBytes });
  const blobs = await openS3Blobs({ bucket, prefix, environment: server.environment(endpoint), cache });
  const clients = createS3Clients(server.environment());
  return {
    blobs,
    prefix,
    folder,
    async listEverything() {
      const objects = await clients.usual.send(new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix }));
      const uploads = await clients.usual.send(new ListMultipartUploadsCommand({ Bucket: bucket, Prefix: prefix }));
      return [...(objects.Contents ?? []), ...(uploads.Uploads ?? [])].map(({ Key = "" }) => Key).toSorted();
    },
    async dispose() {
      await blobs.close();
      clients.close();
      await rm(folder, { recursive: true });
    },
  };
}
