import type { Settings } from "../settings/settings.ts";
import { SettingError } from "../settings/setting-values.ts";

type StorageSettings = Pick<Settings, "databaseUrl" | "blobUrl" | "vectorUrl">;

/**
 * Whether processes of other hosts may use the stores. If not, all processes are on this host and use this data folder,
 * because the metadata is in it, and the holder of the folder's lock is the only server.
 */
export function isShared({ databaseUrl }: StorageSettings): boolean {
  return databaseUrl !== undefined;
}

/**
 * Throws `SettingError` for settings with which hosts would share the metadata but not the documents or vectors. Documents or
 * vectors in a shared store with metadata in the data folder are allowed: only one host uses them.
 */
export function checkStorage(settings: StorageSettings): void {
  if (!isShared(settings)) return;
  const missing = [
    settings.blobUrl === undefined ? "--blob-url (DRS_BLOB_URL)" : undefined,
    settings.vectorUrl === undefined ? "--vector-url (DRS_VECTOR_URL)" : undefined,
  ].filter((flag) => flag !== undefined);
  if (missing.length === 0) return;
  throw new SettingError(
    `--database-url (DRS_DATABASE_URL) also needs ${missing.join(" and ")}: hosts that share the metadata must share ` +
      "documents and vectors; set them, or unset --database-url to keep the metadata in the data folder",
  );
}
