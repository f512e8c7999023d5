import { DeleteObjectsCommand, ListObjectsV2Command } from "@aws-sdk/client-s3";
import { StoreError } from "../../domain/storage-fault.ts";
import type { S3Clients } from "./client.ts";
import { asking } from "./faults.ts";

/** A place in an object store. */
export interface Bucket {
  readonly clients: S3Clients;
  readonly name: string;
  /** In front of every key; empty, or ends with a slash. */
  readonly prefix: string;
  /** Whether the CRC32 of what is sent goes with it, for the endpoint to check and to keep. */
  readonly checksums: boolean;
}

interface Listed {
  /** Without the prefix of the store. */
  readonly key: string;
  /** Bytes. */
  readonly size: number;
}

/** The objects whose keys begin with `start`, page by page. */
export async function* listPages({ clients, name, prefix }: Bucket, start: string): AsyncGenerator<readonly Listed[]> {
  let ContinuationToken: string | undefined;
  do {
    const input = { Bucket: name, Prefix: `${prefix}${start}`, ContinuationToken };
    const page = await asking(clients.usual.send(new ListObjectsV2Command(input)));
    yield (page.Contents ?? []).flatMap(({ Key, Size = 0 }) =>
      Key === undefined ? [] : { key: Key.slice(prefix.length), size: Size },
    );
    ContinuationToken = page.IsTruncated === true ? page.NextContinuationToken : undefined;
  } while (ContinuationToken !== undefined);
}

/** As many as a page of a list has and one request may name: 1,000. */
export async function removeKeys({ clients, name, prefix }: Bucket, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return;
  const Delete = { Quiet: true, Objects: keys.map((key) => ({ Key: `${prefix}${key}` })) };
  const { Errors = [] } = await asking(clients.usual.send(new DeleteObjectsCommand({ Bucket: name, Delete })));
  const [first] = Errors;
  if (first === undefined) return;
  const fault = first.Code === "AccessDenied" ? "refused" : "unreachable";
  throw new StoreError(
    fault,
    `the object store has not removed ${Errors.length} of ${keys.length} objects: ${first.Code}`,
  );
}
