import { realpathSync } from "node:fs";
import { delimiter, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { CommandIo } from "../command-io.ts";

const ownBin = realpathSync(fileURLToPath(new URL("../bin/drs.js", import.meta.url)));

/**
 * Returns the words that start this drs again where the user is: `drs` if the shell's PATH finds it, `npx drs` in a
 * project that has it, otherwise node with the absolute path. Elsewhere, npx would install another package of that name
 * from the registry.
 */
export function ownCommand(env: CommandIo["env"], folder = env["INIT_CWD"] || process.cwd()): string {
  // npm adds its folders to the PATH for the duration of a script; the user's shell does not have them.
  const path = (env["PATH"] ?? "").split(delimiter).filter((entry) => !isOfNpm(entry));
  if (path.some((entry) => isOwn(join(entry, "drs")))) return "drs";
  for (let at = resolve(folder); ; at = dirname(at)) {
    if (isOwn(join(at, "node_modules", ".bin", "drs"))) return "npx drs";
    if (dirname(at) === at) return `${shellWord(process.execPath)} ${shellWord(ownBin)}`;
  }
}

/** Quotes a word for a POSIX shell. */
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
