import { basename, extname, matchesGlob } from "node:path";

/** Extensions of the documents that drs can read. */
const documentExtensions: ReadonlySet<string> = new Set([".pdf", ".docx", ".pptx", ".xlsx"]);

/** Selects files of a folder. */
export interface Patterns {
  /** If empty, files with the extensions of the four formats are selected. */
  readonly include: readonly string[];
  readonly exclude: readonly string[];
}

/** Returns whether a file of a folder is wanted; `path` is relative to that folder, with slashes. */
export function isWanted(path: string, { include, exclude }: Patterns): boolean {
  if (exclude.some((pattern) => matches(path, pattern))) return false;
  if (include.length === 0) return documentExtensions.has(extname(path).toLowerCase());
  return include.some((pattern) => matches(path, pattern));
}

/** Returns whether a folder is excluded as a whole, so that it need not be entered. */
export function isShutOut(path: string, { exclude }: Patterns): boolean {
  return exclude.some((pattern) => {
    const contents = /^(.+)\/\*\*$/.exec(pattern)?.[1];
    return contents === undefined
      ? matches(path, pattern.replace(/(?<=.)\/$/, ""))
      : matchesGlob(path.toLowerCase(), contents.toLowerCase());
  });
}

/** Matches a pattern without a slash against the name, one with a slash against the whole path, ignoring case. */
function matches(path: string, pattern: string): boolean {
  const subject = pattern.includes("/") ? path : basename(path);
  return matchesGlob(subject.toLowerCase(), pattern.toLowerCase());
}

/** Returns whether an entry is ignored: hidden files, and the locks that Office creates beside open documents. */
export function isHidden(name: string): boolean {
  return name.startsWith(".") || name.startsWith("~$");
}
