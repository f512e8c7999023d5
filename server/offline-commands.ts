import type { Settings } from "./settings/settings.ts";
import { conflict, invalid, notFound } from "./domain/errors.ts";
import { createPacks } from "./domain/models/packs.ts";
import { createLimitsOf } from "./domain/plans/limits-of.ts";
import type { Metadata } from "./domain/ports/metadata.ts";
import type { VerifyContext } from "./domain/verify/finding.ts";
import type { Workspace } from "./domain/workspaces/workspace.ts";
import { openPackRegistry } from "./embedding/registry.ts";
import { documentFormats } from "./formats/identify.ts";
import { type ExportOptions, exportWorkspace } from "./backup/export/export.ts";
import type { Manifest } from "./backup/export/format.ts";
import type { ImportOptions, ImportProgress } from "./backup/export/import-options.ts";
import { importArchive } from "./backup/export/import.ts";
import { type BackupOptions, type BackupOutcome, backUp } from "./backup/snapshots/backup.ts";
import { type MovedStores, type MoveOptions, type MoveProgress, moveStores } from "./backup/store-migration/move.ts";
import { lockDataDir } from "./storage/lock.ts";
import { openMetadata } from "./storage/metadata/open.ts";
import { openRows, pendingOf } from "./storage/metadata/open-rows.ts";
import { shownName } from "./settings/spelling.ts";
import { closeStores, openStores } from "./stores.ts";

/** The stores, opened for a maintenance command. */
export interface MaintenanceStores extends VerifyContext {
  close(): Promise<void>;
}

/** Opens the stores for maintenance commands, while a server is running or without one. */
export async function openForMaintenance(settings: Settings): Promise<MaintenanceStores> {
  const stores = await openStores(settings);
  return {
    ...stores,
    packs: createPacks(stores.metadata.packs, openPackRegistry(settings.modelsDir)),
    close: () => closeStores(stores),
  };
}

/** Backs up the data folder of the settings, while a server is running or without one. Throws `conflict` for other stores. */
export function backUpFolder(
  { dataDir, modelsDir, databaseUrl, blobUrl, vectorUrl }: Settings,
  options: Omit<BackupOptions, "dataDir" | "modelsDir" | "clock">,
): Promise<BackupOutcome> {
  if (databaseUrl !== undefined || blobUrl !== undefined || vectorUrl !== undefined) {
    throw conflict(
      "drs backup is for stores in the data folder; back up Postgres and the buckets with their own tools, " +
        "or move everything into a folder with drs storage move",
    );
  }
  return backUp({ ...options, dataDir, modelsDir, clock: Date.now });
}

/** Copies the stores of the first settings to those of the second ones. Both data folders are locked meanwhile. */
export async function moveStorage(
  from: Settings,
  to: Settings,
  options: Pick<MoveOptions, "signal" | "onStage" | "onProgress">,
): Promise<MoveProgress> {
  const which = movedStores(from, to);
  if (which.size === 0) throw invalid("source and target are the same stores; name others with --to-…");
  const locks = [...new Set([from.dataDir, to.dataDir])].map((dataDir) => lockDataDir(dataDir, "command"));
  try {
    const source = await openSide(from);
    try {
      const target = await openSide(to, { unfinished: true });
      try {
        return await moveStores({ ...options, from: source, to: target, which });
      } finally {
        await target.close();
      }
    } finally {
      await source.close();
    }
  } finally {
    for (const lock of locks) lock.release();
  }
}

/** The stores that differ between the settings. */
function movedStores(from: Settings, to: Settings): MoveOptions["which"] {
  const isMoved = (name: "databaseUrl" | "blobUrl" | "vectorUrl"): boolean =>
    from[name] !== to[name] || (from[name] === undefined && from.dataDir !== to.dataDir);
  return new Set([
    ...(isMoved("databaseUrl") ? (["rows"] as const) : []),
    ...(isMoved("blobUrl") ? (["documents"] as const) : []),
    ...(isMoved("vectorUrl") ? (["index"] as const) : []),
  ]);
}

async function openSide(
  settings: Settings,
  opening: { unfinished?: boolean } = {},
): Promise<MovedStores & { close(): Promise<void> }> {
  const { dataDir, databaseUrl, blobUrl, vectorUrl } = settings;
  const stores = await openStores(settings, opening);
  const rows = await openRows({ url: databaseUrl, dataDir });
  return {
    ...stores,
    rows,
    dataDir,
    databaseUrl,
    blobUrl,
    vectorUrl,
    async close() {
      await rows.close();
      await closeStores(stores);
    },
  };
}

/** Returns the migrations that the metadata lacks; "new" if there is no database yet. Writes nothing. */
export const pendingMigrations = ({ dataDir, databaseUrl }: Settings): Promise<readonly string[] | "new"> =>
  pendingOf({ dataDir, url: databaseUrl });

/** Migrates the metadata, as the start of a server does. Returns the migrations that it lacked. */
export async function migrateMetadata(settings: Settings): Promise<readonly string[] | "new"> {
  const pending = await pendingMigrations(settings);
  const metadata = await openMetadata({ url: settings.databaseUrl, dataDir: settings.dataDir });
  await metadata.close();
  return pending;
}

/** Exports a workspace into a folder. Throws `not_found` for an unknown workspace. */
export async function exportFrom(
  settings: Settings,
  workspace: string,
  options: Pick<ExportOptions, "withFeatures" | "dir" | "signal" | "onProgress">,
): Promise<Manifest> {
  const stores = await openForMaintenance(settings);
  try {
    return await exportWorkspace({
      ...stores,
      ...options,
      workspace: await workspaceNamed(stores.metadata, workspace),
    });
  } finally {
    await stores.close();
  }
}

/** Imports such a folder into a workspace. */
export async function importInto(
  settings: Settings,
  name: string,
  options: Pick<ImportOptions, "newIds" | "dir" | "signal" | "onProgress">,
): Promise<ImportProgress> {
  const stores = await openStores(settings);
  try {
    const { metadata } = stores;
    const workspace = await workspaceNamed(metadata, name);
    return await importArchive({
      ...stores,
      ...options,
      packs: createPacks(metadata.packs, openPackRegistry(settings.modelsDir)),
      formats: documentFormats,
      workspace,
      limits: await createLimitsOf(metadata, stores.clock)(workspace.organisationId),
    });
  } finally {
    await closeStores(stores);
  }
}

/** Finds a workspace by its id, or by a name that only one organisation uses. */
async function workspaceNamed({ organisations, workspaces }: Metadata, idOrName: string): Promise<Workspace> {
  const found: (Workspace & { readonly organisation: string })[] = [];
  for (const { id, name } of await organisations.list()) {
    const workspace = await workspaces.find(id, idOrName);
    if (workspace?.id === idOrName) return workspace;
    if (workspace !== undefined) found.push({ ...workspace, organisation: name });
  }
  const [workspace, another] = found;
  if (workspace === undefined) throw notFound(`there is no workspace ${JSON.stringify(idOrName)} on this server`);
  if (another === undefined) return workspace;
  const candidates = found.map(({ id, organisation }) => `${id} of ${shownName(organisation)}`);
  throw invalid(
    `${found.length} organisations have a workspace ${JSON.stringify(idOrName)}; name it by its id: ${candidates.join(", ")}`,
  );
}
