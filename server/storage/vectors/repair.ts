import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Table } from "@lancedb/lancedb";
import type { Damage } from "../../domain/ports/vectors.ts";
import { mayBeDamage } from "./conflicts.ts";
import { noteDamage } from "./damage.ts";
import { parseRowId } from "./filters.ts";
import { folderNameOf, listMarked, unmarkTable } from "./folder.ts";
import { loadLance, type Lance } from "./lance.ts";
import type { Fragment } from "./manifest.ts";
import { type BrokenTable, emptyTable, mendTable } from "./mend.ts";
import { withMendLock } from "./locks.ts";
import { identifyTable, inspectTable, listVersions, readVersion } from "./soundness.ts";
import { spaceOf } from "./table-names.ts";
import { createIndices, missingIndices, named } from "./tables.ts";
import { withSpillFolder } from "./spill-folder.ts";

/**
 * How closely tables are looked at. `files`: whether they are all there. `rows`: every row is read as well. `failed`: the
 * same, and where all rows can be read the indices are made anew, because something has failed for a reason unknown.
 */
export type Depth = "files" | "rows" | "failed";

const ending = folderNameOf("");
const nameOfFolder = (folder: string): string => folder.slice(0, -ending.length);

/** Finds tables in the folder that are damaged and mends them. No task of this process may use them meanwhile. */
export async function repairTables(root: string, depth: Depth): Promise<readonly Damage[]> {
  const damage: Damage[] = [];
  for (const folder of await readdir(root)) {
    const space = folder.endsWith(ending) ? spaceOf(nameOfFolder(folder)) : undefined;
    if (space === undefined) continue;
    const { kind } = await inspectTable(join(root, folder));
    if (kind === "absent" || (kind === "sound" && depth === "files")) continue;
    const found = await withMendLock(root, () => repairTable({ root, folder, space }, depth));
    if (found.some(({ outcome }) => outcome === "emptied")) await unmarkTable(root, nameOfFolder(folder));
    damage.push(...found);
  }
  for (const name of await listMarked(root)) {
    if (identifyTable(join(root, folderNameOf(name))) !== undefined) continue;
    const lost = await withMendLock(root, () => noteLost(root, name));
    if (lost !== undefined) damage.push(lost);
  }
  return damage;
}

/** A table whose folder is gone although it has not been removed. */
async function noteLost(root: string, name: string): Promise<Damage | undefined> {
  const space = spaceOf(name);
  const isThere = identifyTable(join(root, folderNameOf(name))) !== undefined;
  // Another process may be removing the table: the mark goes first.
  if (space === undefined || isThere || !(await listMarked(root)).includes(name)) return undefined;
  const found = `${folderNameOf(name)} is missing`;
  const damage = await noteDamage(root, { space, foundAt: Date.now(), found, outcome: "emptied", lost: "unknown" });
  await unmarkTable(root, name);
  return damage;
}

async function repairTable(broken: BrokenTable, depth: Depth): Promise<readonly Damage[]> {
  const found: Damage[] = [];
  const note = (damage: Damage | undefined): boolean => {
    if (damage !== undefined) found.push(damage);
    return damage !== undefined;
  };
  let closer = depth;
  try {
    // Another process may have been quicker.
    if (note(await mendTable(broken)) && found.every(({ outcome }) => outcome !== "emptied")) await finish(broken);
  } catch (cause) {
    if (!mayBeDamage(cause)) throw cause;
    closer = "failed";
  }
  if (closer === "files" || found.some(({ outcome }) => outcome === "emptied")) return found;
  try {
    const fragments = await findUnreadable(broken);
    const isCut = fragments.size > 0 && note(await mendTable(broken, { fragments }));
    if (!isCut && closer === "failed") note(await mendTable(broken, { indices: true }));
    await finish(broken);
  } catch (cause) {
    if (!mayBeDamage(cause)) throw cause;
    note(await emptyTable(broken, cause instanceof Error ? cause.message : String(cause)));
  }
  return found;
}

/** Makes the indices that the table needs and has lost. That of its vectors is left to maintenance: it takes long. */
async function finish(broken: BrokenTable): Promise<void> {
  await withTable(broken, async (lance, table) => {
    await createIndices(lance, table, await missingIndices(table));
  });
}

/** Rows that are read together: some 13 MB. */
const rowsPerRead = 500;

/** Fragments of the newest version that cannot be read. */
async function findUnreadable(broken: BrokenTable): Promise<ReadonlySet<number>> {
  const folder = join(broken.root, broken.folder);
  const [newest = 0] = await listVersions(folder);
  const manifest = await readVersion(folder, newest);
  if (typeof manifest === "string") throw new Error(manifest);
  const unreadable = new Set<number>();
  await withTable(broken, async (_, table) => {
    for (const fragment of manifest.fragments) {
      if (!(await canBeRead(table, fragment))) unreadable.add(fragment.id);
    }
  });
  return unreadable;
}

async function canBeRead(table: Table, { id, physicalRows }: Fragment): Promise<boolean> {
  try {
    for (let from = 0; from < physicalRows; from += rowsPerRead) {
      const count = Math.min(rowsPerRead, physicalRows - from);
      // The upper half of a row's number is its fragment's.
      const numbers = Array.from({ length: count }, (_, at) => (BigInt(id) << 32n) + BigInt(from + at));
      const rows = await table.takeRowIds(numbers).toArrow();
      const ids = rows.getChild("id");
      for (const name of ids ?? []) if (parseRowId(String(name)) === undefined) return false;
    }
    return true;
  } catch (cause) {
    if (!mayBeDamage(cause)) throw cause;
    return false;
  }
}

/** With a connection of its own, which remembers nothing of what the table was before. */
async function withTable(
  { root, folder }: BrokenTable,
  task: (lance: Lance, table: Table) => Promise<void>,
): Promise<void> {
  const lance = await loadLance();
  const connection = await withSpillFolder(() => lance.lancedb.connect(root));
  try {
    const name = nameOfFolder(folder);
    await task(lance, named(await connection.openTable(name), name));
  } finally {
    connection.close();
  }
}
