import { S3Client, DeleteObjectsCommand, ListObjectsV2Command } from "@aws-sdk/client-s3";
import type { S3Environment } from "./settings.ts";
import { StoreError } from "../../domain/storage-fault.ts";
import { asking } from "./faults.ts";

/** Milliseconds. What does not answer within them is asked again, twice. */
interface Patience {
  readonly connectionTimeout: number;
  /** From the request to the head of the answer, the bytes that are sent included. */
  readonly requestTimeout: number;
  /** Without a byte in either direction. */
  readonly socketTimeout: number;
}

const usual: Patience = { connectionTimeout: 3_000, requestTimeout: 10_000, socketTimeout: 10_000 };
/** A part of 10 MiB on a line of 2 Mbit/s. */
const sending: Patience = { ...usual, requestTimeout: 60_000 };
/** Endpoints put the parts of a document together before they answer. */
const patient: Patience = { connectionTimeout: 3_000, requestTimeout: 600_000, socketTimeout: 600_000 };

/** Every download of a slow client holds one; how many there are is bounded by those who ask for them. */
const maxSockets = 1_024;

export interface S3Clients {
  readonly usual: S3Client;
  /** For requests with many bytes. */
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
  patience: Patience,
): S3Client {
  const agent = { keepAlive: true, maxSockets };
  return new S3Client({
    region,
    forcePathStyle: pathStyle,
    ...(endpoint !== undefined && { endpoint }),
    ...(credentials !== undefined && { credentials }),
    maxAttempts: 3,
    requestChecksumCalculation: checksums ? "WHEN_SUPPORTED" : "WHEN_REQUIRED",
    // Whole objects are checked as they are read.
    responseChecksumValidation: "WHEN_REQUIRED",
    requestHandler: { ...patience, throwOnRequestTimeout: true, httpAgent: agent, httpsAgent: agent },
  });
}

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
