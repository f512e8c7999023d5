/** Backups, and moving stores. Loading this module loads the stores. */
export type { BackupOutcome, BackupStage } from "../keeping/backup/backup.ts";
export type { CopyProgress } from "../keeping/backup/copy-files.ts";
export { type Pruned, pruneBackup } from "../keeping/backup/prune.ts";
export { openRepository } from "../keeping/backup/repository.ts";
export { restore } from "../keeping/backup/restore.ts";
export type { Snapshot } from "../keeping/backup/snapshot.ts";
export { type DamagedFile, verifyBackup } from "../keeping/backup/verify.ts";
export type { MoveProgress, MoveStage } from "../keeping/move/move.ts";
export type { ExportProgress } from "../keeping/archive/export.ts";
export type { ImportProgress } from "../keeping/archive/import-options.ts";
export { backUpFolder, exportFrom, importInto, migrateMetadata, moveStorage, pendingMigrations } from "../keep.ts";
