import type { ConnectionOptions } from "@lancedb/lancedb";
import { unsupported } from "../../domain/errors.ts";
import { parseS3Address, type S3Address, readS3Environment, type S3Environment } from "../s3/settings.ts";
import type { VectorStore } from "../../domain/ports/vector-store.ts";
import { storageFaultOf } from "../../domain/storage-fault.ts";

/** Where LanceDB stores its tables, and how it connects. */
export interface VectorPlace {
  /** A folder, `s3://…` or `db://…`. */
  readonly url: string;
  readonly connection?: Partial<ConnectionOptions> | undefined;
  /** The same place, for access without LanceDB; undefined if it is a folder or cannot be accessed this way. */
  readonly s3?: (S3Address & { readonly environment: S3Environment }) | undefined;
}

const setting = "--vector-url (DRS_VECTOR_URL)";
/** The format of database names in LanceDB's service. */
const databaseText = /^db:\/\/[a-zA-Z0-9][a-zA-Z0-9_-]*$/;

/**
 * Resolves the address. For an object store, the settings come from AWS's variables, as for blobs. Throws
 * `unsupported`, naming the setting to fix but not the address, which may contain a secret.
 */
export function vectorPlaceOf(url: string, env: NodeJS.ProcessEnv = process.env): VectorPlace {
  const scheme = /^[a-z][a-z0-9+.-]*(?=:)/i.exec(url)?.[0] ?? "this";
  if (scheme === "s3") return inS3(url, readS3Environment(env));
  if (scheme === "db") return inService(url, env);
  throw unsupported(
    `the vector store address in ${setting} is not supported by this version of drs (${scheme}:); ` +
      "use s3://BUCKET/PREFIX, or unset it to keep vectors in the data folder",
  );
}

/** Options of LanceDB, as texts. By default it tries ten times in three minutes, which is too long for a search. */
const bounds = {
  connect_timeout: "3s",
  timeout: "30s",
  client_max_retries: "2",
  client_retry_timeout: "10",
  lance_aimd_max_retries: "1",
  // After failures, LanceDB sends requests less often, by default down to one per second.
  lance_aimd_min_rate: "100",
};

export function inS3(url: string, environment: S3Environment): VectorPlace {
  const { endpoint, region, pathStyle, credentials } = environment;
  const { bucket, prefix } = parseS3Address(url, setting);
  const storageOptions = {
    ...bounds,
    aws_region: region,
    // If two writers write the same version, only one may succeed.
    aws_conditional_put: "etag",
    aws_virtual_hosted_style_request: String(!pathStyle),
    ...(endpoint !== undefined && { aws_endpoint: pathStyle ? endpoint : hostOf(endpoint, bucket) }),
    ...(endpoint?.startsWith("http:") === true && { allow_http: "true" }),
    ...(credentials !== undefined && {
      aws_access_key_id: credentials.accessKeyId,
      aws_secret_access_key: credentials.secretAccessKey,
      ...(credentials.sessionToken !== undefined && { aws_session_token: credentials.sessionToken }),
    }),
  };
  const s3 = { bucket, prefix, environment };
  return { url: `s3://${bucket}/${prefix}`.replace(/\/$/, ""), connection: { storageOptions }, s3 };
}

/** LanceDB needs the bucket in the host name if it is not in the path. */
function hostOf(endpoint: string, bucket: string): string {
  const url = new URL(endpoint);
  url.hostname = `${bucket}.${url.hostname}`;
  return url.href.replace(/\/$/, "");
}

function inService(url: string, env: NodeJS.ProcessEnv): VectorPlace {
  if (!databaseText.test(url)) throw unsupported(`${setting} must be db://NAME for LanceDB's service`);
  const apiKey = env["DRS_VECTOR_API_KEY"];
  if (!apiKey) throw unsupported(`${setting} is of LanceDB's service; set DRS_VECTOR_API_KEY to its key`);
  const region = env["DRS_VECTOR_REGION"];
  return { url, connection: { apiKey, ...(region && { region }) } };
}

/**
 * Checks that a remote vector store can be used; LanceDB itself would notice a problem only at the first use. Throws
 * `unsupported`, naming the setting to fix. The cause of the error has the store's own message, which takes many lines.
 */
export async function checkVectorAccess(vectors: Pick<VectorStore, "ping">): Promise<void> {
  try {
    await vectors.ping();
  } catch (cause) {
    const place = "the vector store in --vector-url (DRS_VECTOR_URL)";
    if (storageFaultOf(cause) === "refused") {
      throw unsupported(
        `${place} does not let the server in; check that the bucket is there, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and their rights`,
      );
    }
    if (storageFaultOf(cause) === "unreachable") {
      throw unsupported(`${place} does not answer; check its address, AWS_ENDPOINT_URL and whether it runs`);
    }
    throw cause;
  }
}
