import { openForWriting } from "./repository.ts";

export interface Pruned {
  readonly removedSnapshots: readonly string[];
  readonly keptSnapshots: readonly string[];
  readonly freedBytes: number;
}

/**
 * Removes all snapshots but the `keep` newest, and the bytes that no snapshot needs any more, including those of
 * interrupted backups.
 */
export async function pruneBackup({ dir, keep }: { dir: string; keep: number }): Promise<Pruned> {
  const repository = await openForWriting(dir, { create: false });
  const { known, pool } = repository;
  try {
    const all = await repository.snapshots();
    const kept = all.slice(Math.max(0, all.length - keep));
    // Before anything is removed: if a snapshot cannot be read, everything stays.
    for (const snapshot of kept) for await (const { sha256 } of repository.files(snapshot)) known.need(sha256);
    const removed = all.filter((snapshot) => !kept.includes(snapshot)).map(({ name }) => name);
    for (const name of removed) await repository.remove(name);
    let freedBytes = 0;
    for await (const { sha256, size } of pool.list()) {
      if (known.isNeeded(sha256)) continue;
      await pool.remove(sha256);
      freedBytes += size;
    }
    known.forgetUnneeded();
    return { removedSnapshots: removed, keptSnapshots: kept.map(({ name }) => name), freedBytes };
  } finally {
    await repository.close();
  }
}
