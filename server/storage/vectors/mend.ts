import { link, mkdir, open, readFile, rename, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Damage } from "../../domain/ports/vectors.ts";
import { hasErrorCode } from "../blobs/error-codes.ts";
import { syncFolder } from "../blobs/folders.ts";
import { folderOf, noteDamage } from "./damage.ts";
import { ifThere } from "./if-there.ts";
import { type Manifest, manifestName, rewriteManifest } from "./manifest.ts";
import {
  findFlaws,
  type Flaws,
  hintedVersion,
  hintPath,
  listVersions,
  missing,
  readVersion,
  versionsFolder,
} from "./soundness.ts";

/** A table in its folder, while no other process mends it. */
export interface BrokenTable {
  readonly root: string;
  /** Beneath `root`. */
  readonly folder: string;
  readonly space: Damage["space"];
}

/** What the files do not show. */
export interface Suspected {
  /** Fragments whose files are there but cannot be read. */
  readonly fragments?: ReadonlySet<number>;
  /** Something of an index cannot be read: all indices are taken out. */
  readonly indices?: boolean;
}

interface Candidate {
  readonly manifest: Manifest;
  readonly flaws: Flaws;
  /** Rows that it still has without what is damaged. */
  readonly rows: number;
}

/**
 * Makes a table readable whose files are not all there. Of its versions the one is used that has the most rows left, as a
 * new version, without indices that are damaged; what cannot be read is quarantined. Gives what was wrong, or undefined if
 * nothing was.
 */
export async function mendTable(broken: BrokenTable, suspected: Suspected = {}): Promise<Damage | undefined> {
  const table = join(broken.root, broken.folder);
  for (let attempt = 1; ; attempt++) {
    const examined = await examine(table, suspected);
    if (examined.found === undefined) return undefined;
    // Other processes go on writing and removing old versions: a file that is missing may have been removed by one.
    const [newest] = await listVersions(table);
    if (newest === examined.listed || attempt === maxAttempts) return mendAs(broken, examined);
  }
}

/** Tables are not written to so often that an inspection is overtaken this many times. */
const maxAttempts = 5;

interface Examined {
  /** The newest version that there is a manifest of. */
  readonly listed: number | undefined;
  /** The newest version that is known of. */
  readonly newest: number;
  readonly best: Candidate | undefined;
  readonly illegible: readonly number[];
  /** What is wrong; undefined: nothing. */
  readonly found: string | undefined;
}

async function examine(table: string, suspected: Suspected): Promise<Examined> {
  const versions = await listVersions(table);
  const newest = Math.max(versions[0] ?? 0, await hintedVersion(table));
  const candidates: Candidate[] = [];
  const illegible: number[] = [];
  let found: string | undefined;
  for (const version of versions) {
    const manifest = await readVersion(table, version);
    // Removed since they were listed, as old versions are.
    if (manifest === missing && version !== versions[0]) continue;
    if (typeof manifest === "string") {
      found ??= manifest;
      illegible.push(version);
      continue;
    }
    // Older versions are needed only as far as the first one of which everything is there.
    if (candidates.some(({ flaws }) => flaws.fragments.size === 0)) continue;
    const flaws = withSuspected(await findFlaws(table, manifest), manifest, suspected);
    found ??= flaws.found;
    candidates.push({ manifest, flaws, rows: countRows(manifest, flaws.fragments) });
  }
  const best = candidates.toSorted((one, other) => other.rows - one.rows)[0];
  const isNewest = best?.manifest.version === newest;
  found ??= isNewest ? undefined : best === undefined ? "no manifest" : `the manifest of version ${newest} is missing`;
  return { listed: versions[0], newest, best, illegible, found };
}

async function mendAs(broken: BrokenTable, { newest, best, illegible, found = "" }: Examined): Promise<Damage> {
  const table = join(broken.root, broken.folder);
  const { outcome, lost } = judge(best, newest);
  const damage = await noteDamage(broken.root, { space: broken.space, foundAt: Date.now(), found, outcome, lost });
  const aside = folderOf(broken.root, damage);
  if (best === undefined) {
    await moveAside(table, aside);
    await syncFolder(broken.root);
    return damage;
  }
  // Under a number that no process has seen yet: what processes have cached of a version must not be used for another.
  if (best.manifest.version !== newest || best.flaws.found !== undefined) await writeVersion(table, best, newest + 1);
  for (const version of illegible) await moveAside(join(versionsFolder(table), manifestName(version)), aside);
  await syncFolder(versionsFolder(table));
  return damage;
}

/** Quarantines a table of which nothing can be read although its files are there. */
export async function emptyTable({ root, folder, space }: BrokenTable, found: string): Promise<Damage> {
  const damage = await noteDamage(root, { space, foundAt: Date.now(), found, outcome: "emptied", lost: "unknown" });
  await moveAside(join(root, folder), folderOf(root, damage));
  await syncFolder(root);
  return damage;
}

function withSuspected(flaws: Flaws, manifest: Manifest, suspected: Suspected): Flaws {
  const lost = manifest.fragments.filter(({ id }) => suspected.fragments?.has(id) === true);
  const fragments = new Set([...flaws.fragments, ...lost.map(({ id }) => id)]);
  // Indices would name rows that are gone.
  const isAll = suspected.indices === true || fragments.size > 0;
  const indices = isAll ? new Set(manifest.indices.map(({ name }) => name)) : flaws.indices;
  const [first] = lost;
  const unreadable = first === undefined ? undefined : `${first.files[0]?.path} cannot be read`;
  const found = flaws.found ?? unreadable ?? (suspected.indices === true ? "an index cannot be read" : undefined);
  return { fragments, indices, found };
}

const countRows = ({ fragments }: Manifest, without: ReadonlySet<number>): number =>
  fragments.reduce((sum, { id, rows }) => sum + (without.has(id) ? 0 : rows), 0);

function judge(best: Candidate | undefined, newest: number): Pick<Damage, "outcome" | "lost"> {
  if (best === undefined) return { outcome: "emptied", lost: "unknown" };
  const { manifest, flaws, rows } = best;
  if (manifest.version !== newest) return { outcome: "restored", lost: "unknown" };
  if (flaws.fragments.size === 0) return { outcome: "kept", lost: 0 };
  return { outcome: "cut", lost: countRows(manifest, new Set()) - rows };
}

async function writeVersion(table: string, { manifest, flaws }: Candidate, version: number): Promise<void> {
  const folder = versionsFolder(table);
  const bytes = await readFile(join(folder, manifestName(manifest.version)));
  const temporary = join(folder, `.tmp${version}`);
  const file = await open(temporary, "w");
  try {
    await file.writeFile(rewriteManifest(bytes, version, flaws));
    await file.sync();
  } finally {
    await file.close();
  }
  // A writer that has just made the same version is not overwritten: its rows stand on files that are there.
  await link(temporary, join(folder, manifestName(version))).catch((cause: unknown) => {
    if (!hasErrorCode(cause, "EEXIST")) throw cause;
  });
  await rm(temporary);
  await rm(hintPath(table), { force: true });
}

async function moveAside(path: string, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await ifThere(() => rename(path, join(folder, basename(path))));
}
