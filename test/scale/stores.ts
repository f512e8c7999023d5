import { randomBytes } from "node:crypto";
import { createDatabase } from "../servers/postgres.ts";
import { sharedCredentials } from "../service/shared-stores.ts";

export { hasSharedStores, sharedReason as scaleReason } from "../service/shared-stores.ts";

/** The variables by which a process finds stores of this test's own: an empty database and empty places in the bucket. */
export async function emptyStores(): Promise<Record<string, string>> {
  const name = `drs_${randomBytes(8).toString("hex")}`;
  return storeVariables({
    databaseUrl: await createDatabase(process.env["DRS_TEST_SHARED_DATABASE"] ?? "", name),
    bucket: process.env["DRS_TEST_SHARED_BUCKET"] ?? "",
    name,
    s3: sharedCredentials(),
  });
}

export interface StoreServers {
  readonly databaseUrl: string;
  readonly bucket: string;
  /** The name of the places in the bucket. */
  readonly name: string;
  readonly s3: Readonly<Record<string, string>>;
}

export function storeVariables({ databaseUrl, bucket, name, s3 }: StoreServers): Record<string, string> {
  return {
    ...s3,
    DRS_DATABASE_URL: databaseUrl,
    DRS_BLOB_URL: `s3://${bucket}/${name}/blobs`,
    DRS_VECTOR_URL: `s3://${bucket}/${name}/vectors`,
  };
}
