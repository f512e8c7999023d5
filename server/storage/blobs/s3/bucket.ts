import type { S3Clients } from "../../s3/client.ts";
import { segmentsOf } from "../keys.ts";

export const neverAborted = new AbortController().signal;

/** The place of the blobs in an object store. */
export interface Bucket {
  readonly clients: S3Clients;
  readonly name: string;
  /** In front of every key; empty, or ends with a slash. */
  readonly prefix: string;
  /** Whether the CRC32 of what is sent goes with it, for the endpoint to check and to keep. */
  readonly checksums: boolean;
}

/** What every request about a blob names. */
export function objectOf({ name, prefix }: Bucket, key: string): { readonly Bucket: string; readonly Key: string } {
  return { Bucket: name, Key: `${prefix}${segmentsOf(key).join("/")}` };
}
