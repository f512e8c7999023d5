import { DeleteObjectCommand, GetObjectCommand, ListObjectsV2Command, PutObjectCommand } from "@aws-sdk/client-s3";
import { type Bucket, listPages, removeKeys } from "../../s3/bucket.ts";
import { asking, ifThere, statusOf } from "../../s3/faults.ts";

/** The objects at the address of the vectors, seen beside LanceDB, which cannot be asked whether all are there. */
export interface Objects {
  /** Names of the folders at the top, without a slash. */
  folders(): Promise<readonly string[]>;
  /** Sizes in bytes by path beneath the folder, which ends with a slash. */
  list(folder: string): Promise<ReadonlyMap<string, number>>;
  read(path: string): Promise<Uint8Array | undefined>;
  readTagged(path: string): Promise<{ readonly bytes: Uint8Array; readonly etag: string } | undefined>;
  /** False if there is one already. */
  create(path: string, bytes: Uint8Array): Promise<boolean>;
  /** False if it is no longer the one with the etag. */
  replace(path: string, bytes: Uint8Array, etag: string): Promise<boolean>;
  remove(path: string): Promise<void>;
  removeAll(folder: string): Promise<void>;
}

type Condition = { readonly IfNoneMatch: string } | { readonly IfMatch: string };

export function createObjects(bucket: Bucket): Objects {
  const { clients, name, prefix } = bucket;
  const at = (path: string) => ({ Bucket: name, Key: `${prefix}${path}` });

  async function readTagged(path: string): ReturnType<Objects["readTagged"]> {
    const answer = await asking(ifThere(clients.usual.send(new GetObjectCommand(at(path)))));
    if (answer?.Body === undefined) return undefined;
    return { bytes: await asking(answer.Body.transformToByteArray()), etag: answer.ETag ?? "" };
  }

  /** False if the condition is not met. */
  async function put(path: string, Body: Uint8Array, condition: Condition): Promise<boolean> {
    try {
      await asking(clients.usual.send(new PutObjectCommand({ ...at(path), Body, ...condition })));
      return true;
    } catch (cause) {
      // 409: another one is just being written. 404: there is none any more.
      if ([404, 409, 412].includes(statusOf(cause))) return false;
      throw cause;
    }
  }

  return {
    async folders() {
      const found: string[] = [];
      let ContinuationToken: string | undefined;
      do {
        const input = { Bucket: name, Prefix: prefix, Delimiter: "/", ContinuationToken };
        const page = await asking(clients.usual.send(new ListObjectsV2Command(input)));
        for (const { Prefix = "" } of page.CommonPrefixes ?? []) found.push(Prefix.slice(prefix.length, -1));
        ContinuationToken = page.IsTruncated === true ? page.NextContinuationToken : undefined;
      } while (ContinuationToken !== undefined);
      return found;
    },

    async list(folder) {
      const found = new Map<string, number>();
      for await (const page of listPages(bucket, folder)) {
        for (const { key, size } of page) found.set(key.slice(folder.length), size);
      }
      return found;
    },

    readTagged,
    read: async (path) => (await readTagged(path))?.bytes,
    create: (path, bytes) => put(path, bytes, { IfNoneMatch: "*" }),
    replace: (path, bytes, etag) => put(path, bytes, { IfMatch: etag }),

    async remove(path) {
      await asking(clients.usual.send(new DeleteObjectCommand(at(path))));
    },

    async removeAll(folder) {
      for await (const page of listPages(bucket, folder)) {
        await removeKeys(
          bucket,
          page.map(({ key }) => key),
        );
      }
    },
  };
}
