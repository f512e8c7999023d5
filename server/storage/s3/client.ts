import { S3Client, DeleteObjectsCommand, ListObjectsV2Command } from "@aws-sdk/client-s3";
import type { S3Environment } from "./settings.ts";
import { StoreError } from "../../domain/storage-fault.ts";
import { asking } from "./faults.ts";

/** Timeouts, ms. A request that exceeds one is repeated up to twice. */
interface Timeouts {
  readonly connectionTimeout: number;
  /** From the start of the request until the head of the response, including the time to send the body. */
  readonly requestTimeout: number;
  /** Time without a byte in either direction. */
  readonly socketTimeout: number;
}

const usual: Timeouts = { connectionTimeout: 3_000, requestTimeout: 10_000, socketTimeout: 10_000 };
/** Enough for a part of 10 MiB on a line of 2 Mbit/s. */
const sending: Timeouts = { ...usual, requestTimeout: 60_000 };
/** For requests that take long, because the endpoint assembles the parts of a document before it responds. */
const patient: Timeouts = { connectionTimeout: 3_000, requestTimeout: 600_000, socketTimeout: 600_000 };

/** Every download by a slow client occupies a socket; the callers limit the number of downloads. */
const maxSockets = 1_024;

export interface S3Clients {
  readonly usual: S3Client;
  /** For requests that send many bytes. */
  readonly sending: S3Client;
  /** For requests that take the endpoint long. */
  readonly patient: S3Client;
  close(): void;
}

export function createS3Clients(environment: S3Environment): S3Clients {
  const clients = {
    usual: clientOf(environment, usual),
    sending: clientOf(environment, sending),
    patient: clientOf(environment, patient),
  };
  return {
    ...clients,
    close() {
      for (const client of Object.values(clients)) client.destroy();
    },
  };
}

function clientOf(
  { endpoint, region, pathStyle, checksums, credentials }: S3Environment,
  timeouts: Timeouts,
): S3Client {
  const agent = { keepAlive: true, maxSockets };
  return new S3Client({
    region,
    forcePathStyle: pathStyle,
    ...(endpoint !== undefined && { endpoint }),
    ...(credentials !== undefined && { credentials }),
    maxAttempts: 3,
    requestChecksumCalculation: checksums ? "WHEN_SUPPORTED" : "WHEN_REQUIRED",
    // The checksums of whole objects are verified as they are read (`blobs/s3/object.ts`).
    responseChecksumValidation: "WHEN_REQUIRED",
    requestHandler: { ...timeouts, throwOnRequestTimeout: true, httpAgent: agent, httpsAgent: agent },
  });
}

/** A prefix of a bucket in an object store. */
export interface Bucket {
  readonly clients: S3Clients;
  readonly name: string;
  /** Prefix of every key; empty, or ends with a slash. */
  readonly prefix: string;
  /** Whether requests include the CRC32 of the bytes that they send, which the endpoint checks and stores. */
  readonly checksums: boolean;
}

interface Listed {
  /** The key without the prefix of the store. */
  readonly key: string;
  /** Bytes. */
  readonly size: number;
}

/** Yields the objects with keys that begin with `start`, page by page. */
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

/** Removes at most 1,000 objects, the size of a page of a list and the maximum of one request. */
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
