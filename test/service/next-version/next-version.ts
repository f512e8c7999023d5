/** Name of the migration that the next version has and this one has not. */
export const nextMigration = "0002-labels";

/**
 * Variables that make of a process of drs, and of all that it starts, one of the next version: this one with another migration,
 * which adds a table, a column and its index `datasetsByLabel`. `oldestReader`: as migrations name it.
 */
export function nextVersion(oldestReader: string): Record<string, string> {
  const preload = new URL(`./preload.ts?${oldestReader}`, import.meta.url);
  return { NODE_OPTIONS: `--import ${preload.href}` };
}
