import { S3Client } from "@aws-sdk/client-s3";
import type { S3Environment } from "./environment.ts";

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
