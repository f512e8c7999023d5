import { unsupported } from "../../domain/errors.ts";

/** How to reach an object store, according to the environment variables of the AWS tools. */
export interface S3Environment {
  /** Undefined for the AWS endpoint of the region. */
  readonly endpoint: string | undefined;
  readonly region: string;
  /** Whether the bucket is part of the request path instead of the host name. */
  readonly pathStyle: boolean;
  /** Whether CRC32 checksums are sent. The endpoint checks the SHA-256 of the bytes in either case. */
  readonly checksums: boolean;
  /** Undefined if the AWS client should look for them (files in `~/.aws`, roles of the machine or container). */
  readonly credentials: S3Credentials | undefined;
}

interface S3Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** Endpoints other than AWS accept any region; this is their usual default. */
const anyRegion = "us-east-1";

/** Reads the environment. Throws `unsupported`, naming the variable to set. */
export function readS3Environment(env: NodeJS.ProcessEnv = process.env): S3Environment {
  const endpoint = env["AWS_ENDPOINT_URL_S3"] || env["AWS_ENDPOINT_URL"] || undefined;
  if (endpoint !== undefined && !/^https?:$/.test(URL.parse(endpoint)?.protocol ?? "")) {
    throw unsupported("AWS_ENDPOINT_URL must be an http or https address, such as https://s3.example.com");
  }
  const region = env["AWS_REGION"] || env["AWS_DEFAULT_REGION"] || (endpoint && anyRegion);
  if (region === undefined) throw unsupported("AWS_REGION must name the region of the bucket, such as eu-central-1");
  return {
    endpoint: endpoint?.replace(/\/+$/, ""),
    region,
    // Endpoints of other vendors rarely have one host name per bucket.
    pathStyle: endpoint !== undefined && !/^(?:1|true)$/i.test(env["AWS_VIRTUAL_HOSTED_STYLE_REQUEST"] ?? ""),
    checksums: !/^when_required$/i.test(env["AWS_REQUEST_CHECKSUM_CALCULATION"] ?? ""),
    credentials: credentialsIn(env),
  };
}

function credentialsIn(env: NodeJS.ProcessEnv): S3Credentials | undefined {
  const accessKeyId = env["AWS_ACCESS_KEY_ID"];
  const secretAccessKey = env["AWS_SECRET_ACCESS_KEY"];
  const sessionToken = env["AWS_SESSION_TOKEN"];
  if (!accessKeyId || !secretAccessKey) return undefined;
  return { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) };
}

/** A bucket and a prefix in it. */
export interface S3Address {
  readonly bucket: string;
  /** Prefix of every key; empty, or ends with a slash. */
  readonly prefix: string;
}

/** The format of bucket names, including those of older regions and other vendors. */
const bucketText = /^[a-zA-Z0-9][a-zA-Z0-9._-]{1,254}$/;
const prefixText = /^(?:[a-zA-Z0-9_.=-]+\/)*$/;

/**
 * Parses `s3://bucket/prefix`. Throws `unsupported`, naming the setting but not the address, which may contain a
 * secret.
 */
export function parseS3Address(url: string, setting: string): S3Address {
  const [, bucket = "", path = ""] = /^s3:\/\/([^/?#]*)\/?([^?#]*)$/.exec(url) ?? [];
  const prefix = path === "" || path.endsWith("/") ? path : `${path}/`;
  if (bucketText.test(bucket) && prefixText.test(prefix)) return { bucket, prefix };
  throw unsupported(
    `${setting} must be s3://BUCKET or s3://BUCKET/PREFIX, with letters, digits and _ . - in the prefix; ` +
      "credentials, region and endpoint come from AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION and AWS_ENDPOINT_URL",
  );
}
