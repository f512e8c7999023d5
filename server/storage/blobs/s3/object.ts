import type { Bucket } from "../../s3/bucket.ts";
import { segmentsOf } from "../keys.ts";

export const neverAborted: AbortSignal = new AbortController().signal;

/** What every request about a blob names. */
export function objectOf({ name, prefix }: Bucket, key: string): { readonly Bucket: string; readonly Key: string } {
  return { Bucket: name, Key: `${prefix}${segmentsOf(key).join("/")}` };
}
