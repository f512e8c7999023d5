import { randomBytes } from "node:crypto";
import { mkdir, open, readdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import type { Damage } from "../../domain/ports/vectors.ts";
import { syncFolder } from "../blobs/folders.ts";
import { ifThere } from "./if-there.ts";

/** A folder `.damaged-TIME-RANDOM` for each damage: its record until it is settled, and the quarantined files. */
const prefix = ".damaged-";
const recordName = "damage.json";

/** Quarantined files are kept for inspection; those of more damages than this are removed. */
const maxKept = 3;

const record = z.object({
  space: z.object({ kind: z.enum(["dense", "lexical"]), pack: z.string(), name: z.string() }),
  foundAt: z.number(),
  found: z.string(),
  outcome: z.enum(["kept", "restored", "cut", "emptied"]),
  lost: z.union([z.number(), z.literal("unknown")]),
});

/** The folder into which the files of a damage are moved. */
export const folderOf = (root: string, { id }: Pick<Damage, "id">): string => join(root, `${prefix}${id}`);

/** Sorts by time. */
export const newDamageId = (foundAt: number): string =>
  `${String(foundAt).padStart(15, "0")}-${randomBytes(4).toString("hex")}`;

/** A damage as it was written down; undefined if it was not written to its end. */
export function parseDamage(id: string, text: string): Damage | undefined {
  try {
    return { id, ...record.parse(JSON.parse(text)) };
  } catch (cause) {
    if (cause instanceof SyntaxError || cause instanceof z.ZodError) return undefined;
    throw cause;
  }
}

/** Remembers the damage, durably, before anything is done about it. */
export async function noteDamage(root: string, damage: Omit<Damage, "id">): Promise<Damage> {
  const noted = { id: newDamageId(damage.foundAt), ...damage };
  const folder = folderOf(root, noted);
  await mkdir(folder, { recursive: true });
  const temporary = join(folder, ".tmp");
  const file = await open(temporary, "w");
  try {
    await file.writeFile(JSON.stringify(damage));
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(temporary, join(folder, recordName));
  await syncFolder(folder);
  await syncFolder(root);
  await removeOldPieces(root);
  return noted;
}

/** What has not been settled, the oldest first. */
export async function listDamage(root: string): Promise<readonly Damage[]> {
  const found: Damage[] = [];
  for (const id of await listIds(root)) {
    const damage = await readRecord(root, id);
    if (damage !== undefined) found.push(damage);
  }
  return found;
}

export async function settleDamage(root: string, { id }: Pick<Damage, "id">): Promise<void> {
  await rm(join(folderOf(root, { id }), recordName), { force: true });
  await ifThere(() => syncFolder(folderOf(root, { id })));
}

async function listIds(root: string): Promise<readonly string[]> {
  const names = (await ifThere(() => readdir(root))) ?? [];
  return names.flatMap((name) => (name.startsWith(prefix) ? [name.slice(prefix.length)] : [])).sort();
}

async function readRecord(root: string, id: string): Promise<Damage | undefined> {
  // Settled, or cut off before it was whole: then nothing has been done about it, and it will be found again.
  const text = await ifThere(() => readFile(join(folderOf(root, { id }), recordName), "utf8"));
  return text === undefined ? undefined : parseDamage(id, text);
}

async function removeOldPieces(root: string): Promise<void> {
  const ids = await listIds(root);
  for (const id of ids.slice(0, -maxKept)) {
    const folder = folderOf(root, { id });
    if ((await readRecord(root, id)) === undefined) {
      await rm(folder, { recursive: true, force: true });
      continue;
    }
    for (const name of await readdir(folder)) {
      if (name !== recordName) await rm(join(folder, name), { recursive: true, force: true });
    }
  }
}
