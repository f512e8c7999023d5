import { constants } from "node:fs";
import { copyFile, link, mkdir, readdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isAlive } from "../../domain/processes.ts";
import { hasErrorCode } from "../blobs/error-codes.ts";
import { folderMode } from "../private-folder.ts";
import { folderNameOf, markTable } from "./folder.ts";
import { ifThere } from "./if-there.ts";
import { type Manifest, manifestName } from "./manifest.ts";
import { listVersions, missing, readVersion } from "./soundness.ts";
import { spaceOf } from "./table-names.ts";

/** One version of every table, as a folder that `openLanceVectors` opens. What is written into it changes no original. */
export interface TakenVectors {
  readonly root: string;
  /** Tables of which no whole version was found, and what was wrong. */
  readonly leftOut: readonly { readonly table: string; readonly found: string }[];
  /** Removes the folder. */
  remove(): Promise<void>;
}

/** The folder's name, with the number of the process that works with it. */
const takenPrefix = ".taken-";

/** Maintenance removes the files of a version some seconds after there is a newer one: linking takes less. */
const maxTries = 20;

/**
 * Takes the newest version of each table in the folder, while other processes write and maintain them. The files are hard
 * links, since LanceDB never changes a file that it has written; they stay while they are used, whatever is removed.
 */
export async function takeVectors(root: string): Promise<TakenVectors> {
  const names = (await ifThere(() => readdir(root))) ?? [];
  for (const name of names) {
    const pid = name.startsWith(takenPrefix) ? Number(name.slice(takenPrefix.length)) : undefined;
    if (pid !== undefined && (pid === process.pid || !isAlive(pid))) await rm(join(root, name), { recursive: true });
  }
  const taken = join(root, `${takenPrefix}${process.pid}`);
  await mkdir(taken, { recursive: true, mode: folderMode });
  const leftOut: { table: string; found: string }[] = [];
  try {
    for (const folder of names) {
      const table = folder.endsWith(folderNameOf("")) ? folder.slice(0, -folderNameOf("").length) : "";
      if (spaceOf(table) === undefined) continue;
      const found = await takeTable(join(root, folder), join(taken, folder));
      if (found === "taken") await markTable(taken, table);
      else if (found !== "absent") leftOut.push({ table, found });
    }
  } catch (cause) {
    await rm(taken, { recursive: true, force: true });
    throw cause;
  }
  return { root: taken, leftOut, remove: () => rm(taken, { recursive: true, force: true }) };
}

/** What was wrong, if it is neither of the two. */
async function takeTable(from: string, to: string): Promise<string> {
  let found = missing;
  for (let attempt = 1; attempt <= maxTries; attempt++) {
    const [newest] = await listVersions(from);
    if (newest === undefined) return "absent";
    const manifest = await readVersion(from, newest);
    if (typeof manifest === "string") found = manifest;
    else {
      const vanished = await linkVersion(from, to, manifest);
      if (vanished === undefined) return "taken";
      found = `${vanished} is missing`;
    }
    await rm(to, { recursive: true, force: true });
  }
  return found;
}

/** The first file that is not there any more. The manifest comes last. */
async function linkVersion(
  from: string,
  to: string,
  { version, fragments, indices }: Manifest,
): Promise<string | undefined> {
  const paths = [...fragments, ...indices].flatMap(({ files }) => files.map(({ path }) => path));
  for (const path of [...paths, join("_versions", manifestName(version))]) {
    await mkdir(dirname(join(to, path)), { recursive: true, mode: folderMode });
    const isThere = await ifThere(async () => {
      await linkOrCopy(join(from, path), join(to, path));
      return true;
    });
    if (isThere !== true) return path;
  }
  return undefined;
}

/** There are file systems without hard links, and a bound of links per file on the others. */
async function linkOrCopy(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (cause) {
    if (hasErrorCode(cause, "ENOENT")) throw cause;
    if (hasErrorCode(cause, "EEXIST")) return;
    await copyFile(from, to, constants.COPYFILE_FICLONE);
  }
}
