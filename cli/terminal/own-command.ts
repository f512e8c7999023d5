import { realpathSync } from "node:fs";
import { delimiter, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { World } from "../world.ts";

const ownBin = realpathSync(fileURLToPath(new URL("../bin/drs.js", import.meta.url)));

/**
 * The words that start this drs again where the user is: `drs` where the PATH of the shell leads to it, `npx drs` in a
 * project that has it, else node with the whole path. Elsewhere npx would ask the registry for another package of that name.
 */
export function ownCommand(env: World["env"], folder = env["INIT_CWD"] || process.cwd()): string {
  // npm puts its folders in front of the PATH for the time of a script; the shell does not have them.
  const path = (env["PATH"] ?? "").split(delimiter).filter((entry) => !isOfNpm(entry));
  if (path.some((entry) => isOwn(join(entry, "drs")))) return "drs";
  for (let at = resolve(folder); ; at = dirname(at)) {
    if (isOwn(join(at, "node_modules", ".bin", "drs"))) return "npx drs";
    if (dirname(at) === at) return `${shellWord(process.execPath)} ${shellWord(ownBin)}`;
  }
}

/** A word as a POSIX shell takes it. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

const isOfNpm = (entry: string): boolean => /node_modules[\\/]\.bin[\\/]?$|node-gyp-bin[\\/]?$/.test(entry);

function isOwn(path: string): boolean {
  try {
    return realpathSync(path) === ownBin;
  } catch {
    return false;
  }
}
