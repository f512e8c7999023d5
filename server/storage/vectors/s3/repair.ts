import type { Damage } from "../../../domain/ports/vectors.ts";
import { folderNameOf } from "../folder.ts";
import { type Manifest, manifestName, readManifest, rewriteManifest, versionOf } from "../manifest.ts";
import { spaceOf } from "../table-names.ts";
import { noteDamage, settleDamage } from "./damage.ts";
import type { Objects } from "./objects.ts";

/** How often another process may write while a table is being mended. */
const maxAttempts = 5;

interface Version {
  readonly version: number;
  readonly bytes: Uint8Array;
  readonly manifest: Manifest;
  /** Fragments and indices that have lost a file. */
  readonly fragments: ReadonlySet<number>;
  readonly indices: ReadonlySet<string>;
  readonly found: string | undefined;
  /** Rows in fragments that are whole. */
  readonly rows: number;
}

/** Finds the damaged ones among the tables and mends them: what is left of a table becomes its next version. */
export async function repairRemoteTables(objects: Objects, names: readonly string[]): Promise<readonly Damage[]> {
  const damage: Damage[] = [];
  for (const name of names) {
    const found = await repairTable(objects, name);
    if (found !== undefined) damage.push(found);
  }
  return damage;
}

async function repairTable(objects: Objects, name: string): Promise<Damage | undefined> {
  const space = spaceOf(name);
  if (space === undefined) return undefined;
  const folder = `${folderNameOf(name)}/`;
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    // The versions first: a listing is not of one moment, and what a manifest names was there before it.
    const numbers = await listVersions(objects, folder);
    const files = await objects.list(folder);
    const [newest = 0] = numbers;
    const versions = await readVersions(objects, folder, { files, numbers });
    const top = versions.find(({ version }) => version === newest);
    if (top !== undefined && top.found === undefined) return undefined;
    // The first manifest is written before the first rows.
    if (newest === 0 && ![...files.keys()].some((path) => path.startsWith("data/"))) return undefined;
    // Maintenance, also that of other processes, removes files of a version once there is a newer one.
    if ((await listVersions(objects, folder))[0] !== numbers[0]) continue;
    const best = versions.toSorted((one, other) => other.rows - one.rows)[0];
    const found = top?.found ?? (newest === 0 ? "no manifest" : `the manifest of version ${newest} cannot be read`);
    const noted = await noteDamage(objects, {
      space,
      foundAt: Date.now(),
      found: `${folder}${found}`,
      ...outcomeOf(top, best),
    });
    if (best === undefined) {
      await objects.removeAll(folder);
      return noted;
    }
    const manifest = rewriteManifest(best.bytes, newest + 1, best);
    if (await objects.create(`${folder}_versions/${manifestName(newest + 1)}`, manifest)) return noted;
    await settleDamage(objects, noted);
  }
  return undefined;
}

function outcomeOf(top: Version | undefined, best: Version | undefined): Pick<Damage, "outcome" | "lost"> {
  if (best === undefined) return { outcome: "emptied", lost: "unknown" };
  if (best !== top) return { outcome: "restored", lost: "unknown" };
  const all = top.manifest.fragments.reduce((sum, { rows }) => sum + rows, 0);
  return all === top.rows ? { outcome: "kept", lost: 0 } : { outcome: "cut", lost: all - top.rows };
}

/** The newest first. */
async function listVersions(objects: Objects, folder: string): Promise<readonly number[]> {
  const names = [...(await objects.list(`${folder}_versions/`)).keys()];
  return names.flatMap((name) => versionOf(name) ?? []).sort((one, other) => other - one);
}

/** Those whose manifest can be read; the newest alone if nothing is wrong with it. */
async function readVersions(
  objects: Objects,
  folder: string,
  { files, numbers }: { files: ReadonlyMap<string, number>; numbers: readonly number[] },
): Promise<readonly Version[]> {
  const versions: Version[] = [];
  for (const version of numbers) {
    const bytes = await objects.read(`${folder}_versions/${manifestName(version)}`);
    const read = bytes && versionIn(bytes, version, files);
    if (read !== undefined) versions.push(read);
    if (version === numbers[0] && read !== undefined && read.found === undefined) break;
  }
  return versions;
}

function versionIn(bytes: Uint8Array, version: number, files: ReadonlyMap<string, number>): Version | undefined {
  const manifest = manifestIn(bytes);
  if (manifest?.version !== version) return undefined;
  let found: string | undefined;
  const isWhole = (of: { readonly files: Manifest["indices"][number]["files"] }): boolean =>
    of.files.every(({ path, size }) => {
      const actual = files.get(path);
      if (actual !== undefined && (size === undefined || size === actual)) return true;
      found ??= actual === undefined ? `${path} is missing` : `${path} has ${actual} bytes instead of ${size}`;
      return false;
    });
  const whole = manifest.fragments.filter(isWhole);
  const kept = new Set(whole.map(({ id }) => id));
  return {
    version,
    bytes,
    manifest,
    fragments: new Set(manifest.fragments.flatMap(({ id }) => (kept.has(id) ? [] : id))),
    indices: new Set(manifest.indices.filter((index) => !isWhole(index)).map(({ name }) => name)),
    found,
    rows: whole.reduce((sum, { rows }) => sum + rows, 0),
  };
}

function manifestIn(bytes: Uint8Array): Manifest | undefined {
  try {
    return readManifest(bytes);
  } catch {
    return undefined;
  }
}
