import {
  AbortMultipartUploadCommand,
  DeleteObjectsCommand,
  ListMultipartUploadsCommand,
  type ListMultipartUploadsCommandInput,
  type ListMultipartUploadsCommandOutput,
  ListObjectsV2Command,
} from "@aws-sdk/client-s3";
import { StoreError } from "../../../domain/storage-fault.ts";
import { asking, isNotThere } from "../../s3/faults.ts";
import type { Bucket } from "./bucket.ts";

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

/** No upload takes a day; an older one is of a process that has died. */
const abandonedAfterMs = 24 * 60 * 60 * 1000;

/** Ends uploads in parts that have been abandoned: what they hold costs room and is in no list of objects. */
export async function abortAbandoned({ clients, name, prefix }: Bucket, now: number): Promise<void> {
  let from: { readonly KeyMarker: string | undefined; readonly UploadIdMarker: string | undefined } | undefined;
  do {
    const input: ListMultipartUploadsCommandInput = { Bucket: name, Prefix: prefix, ...from };
    const page: ListMultipartUploadsCommandOutput = await asking(
      clients.usual.send(new ListMultipartUploadsCommand(input)),
    );
    for (const { Key, UploadId, Initiated } of page.Uploads ?? []) {
      if (Initiated === undefined || now - Initiated.getTime() < abandonedAfterMs) continue;
      const ending = clients.usual.send(new AbortMultipartUploadCommand({ Bucket: name, Key, UploadId }));
      // Another process was quicker.
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
