import type { Dirent } from "node:fs";
import { opendir, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { CliError, usageError } from "../../failures.ts";
import type { Source as Input } from "../../command-io.ts";
import { checkInput, type FileSource, inputWord, type Source, type Unreadable, urlSource } from "./source.ts";
import { isHidden, isShutOut, isWanted, type Patterns } from "./patterns.ts";

export interface Discovery extends Patterns {
  /** Enters folders. */
  readonly recursive: boolean;
  /** The input that "-" stands for; undefined if there is none. */
  readonly input?: Input | undefined;
  readonly signal: AbortSignal;
  /** Called for a file that is not wanted. */
  readonly onLeftOut?: (path: string) => void;
}

/** Rejects contradictory arguments before anything is sent. Throws usage errors. */
export async function checkNamed(
  words: readonly string[],
  { recursive, input }: Pick<Discovery, "recursive" | "input">,
): Promise<void> {
  if (words.includes(inputWord)) checkInput(input);
  if (words.filter((word) => word === inputWord).length > 1) throw usageError("standard input can be read only once");
  for (const word of words) {
    if (/^[a-z][a-z\d+.-]*:\/\//i.test(word) && urlSource(word) === undefined) {
      throw usageError(`"${word}" is not an address that can be fetched`, "write it like https://example.com/a.pdf");
    }
    if (recursive || word === inputWord || urlSource(word) !== undefined) continue;
    // A missing file is not a usage error: the other files are uploaded anyway.
    const found = await stat(word).catch(() => undefined);
    if (found?.isDirectory() === true) throw usageError(`${word} is a folder`, `upload its contents with: -r ${word}`);
  }
}

/**
 * Yields the sources that command-line words name: files are found while folders are still being read. Links are
 * followed; no folder is entered twice, so loops end.
 */
export async function* discover(
  words: readonly string[],
  settings: Discovery,
): AsyncGenerator<Source | Unreadable, void, undefined> {
  const entered = new Set<string>();
  for (const word of words) {
    settings.signal.throwIfAborted();
    const remote = urlSource(word) ?? inputSource(word, settings);
    if (remote !== undefined) {
      yield remote;
      continue;
    }
    try {
      const found = await stat(word);
      if (found.isDirectory()) yield* walk(word, settings, entered);
      else if (found.isFile()) yield fileSource(word, basename(word), found);
      else throw new CliError(`${word} is not a file`, { next: "send the output of a program with: drs upload -" });
    } catch (cause) {
      settings.signal.throwIfAborted();
      yield unreadable(word, basename(word), cause);
    }
  }
}

function inputSource(word: string, { input }: Discovery): Source | undefined {
  if (word !== inputWord || input === undefined) return undefined;
  return { kind: "input", input, label: "standard input" };
}

async function* walk(
  root: string,
  settings: Discovery,
  entered: Set<string>,
): AsyncGenerator<Source | Unreadable, void, undefined> {
  // Folders to enter, relative to the root: only one is open at a time, however deep they are nested.
  const ahead = [""];
  for (let folder = ahead.pop(); folder !== undefined; folder = ahead.pop()) {
    try {
      const { dev, ino } = await stat(join(root, folder), { bigint: true });
      if (entered.has(`${dev}:${ino}`)) continue;
      entered.add(`${dev}:${ino}`);
      for await (const entry of await opendir(join(root, folder), { bufferSize: 256 })) {
        settings.signal.throwIfAborted();
        if (isHidden(entry.name)) continue;
        const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
        yield* look(root, path, entry, { settings, ahead });
      }
    } catch (cause) {
      settings.signal.throwIfAborted();
      yield unreadable(join(root, folder), folder || root, cause);
    }
  }
}

/** Handles one entry of a folder: a wanted file, a folder for later, or nothing. */
async function* look(
  root: string,
  path: string,
  entry: Dirent,
  { settings, ahead }: { settings: Discovery; ahead: string[] },
): AsyncGenerator<Source | Unreadable, void, undefined> {
  const whole = join(root, path);
  if (entry.isDirectory()) {
    if (!isShutOut(path, settings)) ahead.push(path);
    return;
  }
  // Most unwanted files need no further look.
  const wanted = isWanted(path, settings);
  if (!wanted && entry.isFile()) return settings.onLeftOut?.(whole);
  try {
    const found = await stat(whole);
    if (found.isDirectory()) {
      if (!isShutOut(path, settings)) ahead.push(path);
    } else if (wanted && found.isFile()) yield fileSource(whole, path, found);
    else settings.onLeftOut?.(whole);
  } catch (cause) {
    if (wanted) yield unreadable(whole, path, cause);
    else settings.onLeftOut?.(whole);
  }
}

function fileSource(path: string, label: string, { size, mtimeMs }: { size: number; mtimeMs: number }): FileSource {
  return { kind: "file", path, label, size, modifiedAt: mtimeMs };
}

/** File names are bytes; those that are not UTF-8 are decoded with this character and cannot be opened. */
const replacement = "\uFFFD";

function unreadable(path: string, label: string, cause: unknown): Unreadable {
  const undecodable = new CliError(`${path}: its name is not UTF-8`, { next: "rename it" });
  return { kind: "unreadable", path, label, cause: path.includes(replacement) ? undecodable : cause };
}
