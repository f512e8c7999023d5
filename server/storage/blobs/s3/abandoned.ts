import {
  AbortMultipartUploadCommand,
  ListMultipartUploadsCommand,
  type ListMultipartUploadsCommandInput,
  type ListMultipartUploadsCommandOutput,
} from "@aws-sdk/client-s3";
import type { Bucket } from "../../s3/bucket.ts";
import { asking, isNotThere } from "../../s3/faults.ts";

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
