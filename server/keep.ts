import type { Settings } from "./config.ts";
import { conflict } from "./domain/errors.ts";
import { createPacks } from "./domain/models/packs.ts";
import { openPackRegistry } from "./embedding/registry.ts";
import { type BackupOptions, type BackupOutcome, backUp } from "./keeping/backup/backup.ts";

/** Backs the embedded data folder of the settings up, beside a server or without one. Throws `conflict` for other stores. */
export function backUpFolder(
  { dataDir, modelsDir, databaseUrl, blobUrl, vectorUrl }: Settings,
  options: Omit<BackupOptions, "dataDir" | "modelsDir" | "packsOf" | "clock">,
): Promise<BackupOutcome> {
  if (databaseUrl !== undefined || blobUrl !== undefined || vectorUrl !== undefined) {
    throw conflict(
      "drs backup is for stores in the data folder; back up Postgres and the buckets with their own tools, " +
        "or move everything into a folder with drs storage move",
    );
  }
  const registry = openPackRegistry(modelsDir);
  const packsOf: BackupOptions["packsOf"] = (store) => createPacks(store, registry);
  return backUp({ ...options, dataDir, modelsDir, packsOf, clock: Date.now });
}
