import { unsupported } from "../../domain/errors.ts";

/** Where in an object store something is kept. */
export interface S3Address {
  readonly bucket: string;
  /** In front of every key; empty, or ends with a slash. */
  readonly prefix: string;
}

/** Names of buckets, those of older regions and other makers included. */
const bucketText = /^[a-zA-Z0-9][a-zA-Z0-9._-]{1,254}$/;
const prefixText = /^(?:[a-zA-Z0-9_.=-]+\/)*$/;

/** Reads `s3://bucket/prefix`. Throws `unsupported` with the name of the setting and without the address, which may hold a secret. */
export function parseS3Address(url: string, setting: string): S3Address {
  const [, bucket = "", path = ""] = /^s3:\/\/([^/?#]*)\/?([^?#]*)$/.exec(url) ?? [];
  const prefix = path === "" || path.endsWith("/") ? path : `${path}/`;
  if (bucketText.test(bucket) && prefixText.test(prefix)) return { bucket, prefix };
  throw unsupported(
    `${setting} must be s3://BUCKET or s3://BUCKET/PREFIX, with letters, digits and _ . - in the prefix; ` +
      "credentials, region and endpoint come from AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION and AWS_ENDPOINT_URL",
  );
}
