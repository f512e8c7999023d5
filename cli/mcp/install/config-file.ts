import { mkdir, open, readFile, realpath, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";

/** Returns the text of a configuration file; empty if there is none. */
export async function readConfig(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (cause) {
    if (cause instanceof Error && Reflect.get(cause, "code") === "ENOENT") return "";
    throw cause;
  }
}

/** Replaces a configuration file atomically. A symbolic link stays one, and the permissions stay as they are. */
export async function writeConfig(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const target = await realpath(path).catch(() => path);
  // The file may contain keys of other servers, so nobody else may gain access to it.
  const mode = await stat(target).then(
    (found) => found.mode & 0o777,
    () => 0o600,
  );
  const temporary = `${target}.${process.pid}.part`;
  try {
    const file = await open(temporary, "wx", mode);
    try {
      await file.chmod(mode);
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, target);
  } catch (cause) {
    await rm(temporary, { force: true });
    throw cause;
  }
}

/** Number of unchanged lines shown around a change. */
const around = 2;

/**
 * Returns the difference as lines: removed lines begin with "-", added ones with "+". It assumes one connected change.
 */
export function changeLines(before: string, after: string): readonly string[] {
  const [old, fresh] = [linesOf(before), linesOf(after)];
  let head = 0;
  while (head < old.length && head < fresh.length && old[head] === fresh[head]) head += 1;
  let tail = 0;
  while (tail < old.length - head && tail < fresh.length - head && old.at(-1 - tail) === fresh.at(-1 - tail)) tail += 1;
  return [
    ...old.slice(Math.max(0, head - around), head).map((line) => `  ${line}`),
    ...old.slice(head, old.length - tail).map((line) => `- ${line}`),
    ...fresh.slice(head, fresh.length - tail).map((line) => `+ ${line}`),
    ...fresh.slice(fresh.length - tail, fresh.length - tail + around).map((line) => `  ${line}`),
  ];
}

function linesOf(text: string): readonly string[] {
  return text === "" ? [] : text.replace(/\r?\n$/, "").split(/\r?\n/);
}
