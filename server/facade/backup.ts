/** Backups, and moving stores. Loading this module loads the stores. */
export type { BackupOutcome, BackupStage } from "../backup/snapshots/backup.ts";
export type { CopyProgress } from "../backup/snapshots/copy-files.ts";
export { type Pruned, pruneBackup } from "../backup/snapshots/repository.ts";
export { openRepository } from "../backup/snapshots/repository.ts";
export { restore } from "../backup/snapshots/restore.ts";
export type { Snapshot } from "../backup/snapshots/snapshot.ts";
export { type DamagedFile, verifyBackup } from "../backup/snapshots/verify.ts";
export type { MoveProgress, MoveStage } from "../backup/store-migration/move.ts";
export type { ExportProgress } from "../backup/export/export.ts";
export type { ImportProgress } from "../backup/export/import-options.ts";
export {
  backUpFolder,
  exportFrom,
  importInto,
  migrateMetadata,
  moveStorage,
  pendingMigrations,
} from "../offline-commands.ts";
