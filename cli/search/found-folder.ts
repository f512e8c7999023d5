import { mkdir, mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import type { CommandIo } from "../command-io.ts";

/** Long enough to look at the results, short enough that pictures of documents do not pile up. */
const maxAgeMs = 24 * 3_600_000;

/**
 * Creates a folder for the pictures of one search, in the user's cache and readable by the user only. Removes folders
 * of searches older than a day.
 */
export async function makeFoundFolder(env: CommandIo["env"], now: number = Date.now()): Promise<string> {
  const parent = join(env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "drs", "found");
  await mkdir(parent, { recursive: true, mode: 0o700 });
  for (const name of await readdir(parent)) {
    const folder = join(parent, name);
    const { mtimeMs = now } = (await stat(folder).catch(() => undefined)) ?? {};
    // Another search may be removing it as well; what cannot be removed now will be removed next time.
    if (now - mtimeMs > maxAgeMs) await rm(folder, { recursive: true, force: true }).catch(() => undefined);
  }
  return mkdtemp(join(parent, "search-"));
}
