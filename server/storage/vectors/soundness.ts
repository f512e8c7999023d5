import { statSync } from "node:fs";
import { open, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { ifThere } from "./if-there.ts";
import { fileMark, type Manifest, manifestName, readManifest, type TableFile, versionOf } from "./manifest.ts";

/** What a look at a table's files shows, without reading rows. */
export type Condition =
  /** There is no such table, or one that is just being made. */
  | { readonly kind: "absent" }
  | { readonly kind: "sound"; readonly version: number }
  | { readonly kind: "damaged"; readonly found: string };

/** What is wrong with one version of a table. */
export interface Flaws {
  /** Fragments that have lost a file. */
  readonly fragments: ReadonlySet<number>;
  /** Names of indices that have. */
  readonly indices: ReadonlySet<string>;
  /** The first file that was found wrong, and how. */
  readonly found: string | undefined;
}

const hintName = "latest_version_hint.json";

export const versionsFolder = (table: string): string => join(table, "_versions");
export const hintPath = (table: string): string => join(versionsFolder(table), hintName);

/** Tests whether the newest version of the table in this folder is whole, without a lock: other processes go on writing. */
export async function inspectTable(table: string): Promise<Condition> {
  for (;;) {
    const condition = await inspectNewest(table);
    if (condition.kind !== "damaged") return condition;
    // Maintenance, also that of other processes, removes files of a version once there is a newer one.
    const [newest] = await listVersions(table);
    if (newest === condition.version) return condition;
  }
}

async function inspectNewest(table: string): Promise<Condition & { version?: number | undefined }> {
  const [newest, ...older] = await listVersions(table);
  if (newest === undefined) {
    // The first manifest is written before the first rows.
    const hasRows = (await namesIn(join(table, "data"))).length > 0;
    return hasRows ? { kind: "damaged", found: "no manifest", version: newest } : { kind: "absent" };
  }
  const manifest = await readVersion(table, newest);
  if (typeof manifest === "string") return { kind: "damaged", found: manifest, version: newest };
  const hinted = await hintedVersion(table);
  if (hinted > newest) {
    return { kind: "damaged", found: `the manifest of version ${hinted} is missing`, version: newest };
  }
  const { found } = await findFlaws(table, manifest);
  if (found !== undefined) return { kind: "damaged", found, version: newest };
  // Old versions are not read, but would keep maintenance from removing any.
  for (const version of older) {
    const old = await readVersion(table, version);
    if (typeof old === "string" && old !== missing) return { kind: "damaged", found: old, version: newest };
  }
  return { kind: "sound", version: newest };
}

/** Versions of which there are manifests, the newest first. */
export async function listVersions(table: string): Promise<readonly number[]> {
  const names = await namesIn(versionsFolder(table));
  return names.flatMap((name) => versionOf(name) ?? []).sort((one, other) => other - one);
}

/** The newest version as LanceDB has noted it, which it does after writing the manifest; 0 if it is not known. */
export async function hintedVersion(table: string): Promise<number> {
  try {
    const hint: unknown = JSON.parse(await readFile(hintPath(table), "utf8"));
    const version = typeof hint === "object" && hint !== null ? Reflect.get(hint, "version") : undefined;
    return typeof version === "number" && Number.isSafeInteger(version) ? version : 0;
  } catch {
    return 0;
  }
}

/** What is wrong with a version that has no manifest. */
export const missing = "a manifest is missing";

/** The version's manifest, or what is wrong with it. */
export async function readVersion(table: string, version: number): Promise<Manifest | string> {
  const bytes = await ifThere(() => readFile(join(versionsFolder(table), manifestName(version))));
  if (bytes === undefined) return missing;
  try {
    const manifest = readManifest(bytes);
    if (manifest.version === version) return manifest;
    return `the manifest of version ${version} says that it is of ${manifest.version}`;
  } catch {
    return `the manifest of version ${version} cannot be read (${bytes.length} bytes)`;
  }
}

/** Which of the version's files are not there as they were written. */
export async function findFlaws(table: string, { fragments, indices }: Manifest): Promise<Flaws> {
  const damagedFragments = new Set<number>();
  const damagedIndices = new Set<string>();
  let found: string | undefined;
  const check = async (files: readonly TableFile[], note: () => void): Promise<void> => {
    for (const file of files) {
      const flaw = await flawOf(table, file);
      if (flaw === undefined) continue;
      found ??= `${file.path} ${flaw}`;
      note();
    }
  };
  for (const { id, files } of fragments) await check(files, () => damagedFragments.add(id));
  for (const { name, files } of indices) await check(files, () => damagedIndices.add(name));
  return { fragments: damagedFragments, indices: damagedIndices, found };
}

/** How files begin and end, by their ending. */
const marks: readonly { readonly ending: RegExp; readonly first?: RegExp; readonly last?: RegExp }[] = [
  { ending: /\.(?:lance|idx)$/, last: new RegExp(`${fileMark}$`) },
  // Removed rows, as an Arrow file or as a Roaring bitmap (its cookie, 12346 or 12347).
  { ending: /\.arrow$/, first: /^ARROW1/, last: /ARROW1$/ },
  { ending: /\.bin$/, first: /^[:;]0/ },
];
const markBytes = 6;

async function flawOf(table: string, { path, size }: TableFile): Promise<string | undefined> {
  const handle = await ifThere(() => open(join(table, path)));
  if (handle === undefined) return "is missing";
  try {
    const { size: actual } = await handle.stat();
    if (size !== undefined && actual !== size) return `has ${actual} bytes instead of ${size}`;
    if (actual < markBytes) return `has only ${actual} bytes`;
    const ends = Buffer.alloc(2 * markBytes);
    await handle.read(ends, 0, markBytes, 0);
    await handle.read(ends, markBytes, markBytes, actual - markBytes);
    const mark = marks.find(({ ending }) => ending.test(path));
    const isMarked =
      (mark?.first?.test(ends.toString("latin1", 0, markBytes)) ?? true) &&
      (mark?.last?.test(ends.toString("latin1", markBytes)) ?? true);
    return isMarked ? undefined : "holds something else";
  } finally {
    await handle.close();
  }
}

const namesIn = async (folder: string): Promise<readonly string[]> => (await ifThere(() => readdir(folder))) ?? [];

/**
 * What tells the folder of a table from a later one of the same name; undefined if there is none. At once: every search asks it
 * several times, and the way through the pool of threads takes fifty times as long.
 */
export function identifyTable(table: string): string | undefined {
  const found = statSync(table, { throwIfNoEntry: false });
  return found && `${found.ino} ${found.birthtimeMs}`;
}

/** The coarsest times of file systems are two seconds apart; more than that. */
const settledMs = 2_500;

/**
 * What differs once a version of the table has been written, which is an entry of a folder; undefined until a later one is sure to
 * have another time. At once, as above.
 */
export function glanceAtTable(table: string): string | undefined {
  const found = statSync(join(table, "_versions"), { throwIfNoEntry: false });
  if (found === undefined || Date.now() - found.mtimeMs < settledMs) return undefined;
  return `${found.ino} ${found.mtimeMs}`;
}
