import { createHash } from "node:crypto";
import { createDatabase } from "../servers/postgres.ts";

/**
 * `npm run test:scale` runs the whole-service tests on stores that processes share: these variables name the servers. Each
 * data folder of a test gets a database and a prefix of its own there.
 */
const database = process.env["DRS_TEST_SHARED_DATABASE"] ?? "";
const bucket = process.env["DRS_TEST_SHARED_BUCKET"] ?? "";

/** Whether the servers of this run keep their data elsewhere than in their data folders. */
export const hasSharedStores = database !== "" && bucket !== "";
/** Behind the title of a suite that needs them. */
export const sharedReason = hasSharedStores ? "" : " (skipped: npm run test:scale runs it)";

export interface SharedStores {
  readonly databaseUrl: string;
  readonly blobUrl: string;
  readonly vectorUrl: string;
}

const known = new Map<string, SharedStores>();

/** The stores of a data folder, made if there are none yet; undefined where the folder itself has them. */
export async function sharedStores(dataDir: string): Promise<SharedStores | undefined> {
  if (!hasSharedStores) return undefined;
  const found = known.get(dataDir);
  if (found !== undefined) return found;
  const name = `drs_${createHash("sha256").update(dataDir).digest("hex").slice(0, 20)}`;
  const stores = {
    databaseUrl: await createDatabase(database, name),
    blobUrl: `s3://${bucket}/${name}/blobs`,
    vectorUrl: `s3://${bucket}/${name}/vectors`,
  };
  known.set(dataDir, stores);
  return stores;
}

/** The variables by which a process finds the stores of its data folder. */
export async function sharedVariables(dataDir: string): Promise<Record<string, string>> {
  const stores = await sharedStores(dataDir);
  return stores === undefined ? {} : variablesOf(stores);
}

/** The same for a command, where a server has been started on the folder before. */
export function knownVariables(dataDir: string | undefined): Record<string, string> {
  const stores = dataDir === undefined ? undefined : known.get(dataDir);
  return stores === undefined ? {} : { ...variablesOf(stores), ...sharedCredentials() };
}

function variablesOf({ databaseUrl, blobUrl, vectorUrl }: SharedStores): Record<string, string> {
  return { DRS_DATABASE_URL: databaseUrl, DRS_BLOB_URL: blobUrl, DRS_VECTOR_URL: vectorUrl };
}

/** Variables with which other processes access the bucket. */
export function sharedCredentials(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      name.startsWith("AWS_") && value !== undefined ? [[name, value]] : [],
    ),
  );
}
