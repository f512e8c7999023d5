import { basename, extname, matchesGlob } from "node:path";

/** What drs makes pages of. */
const documentExtensions: ReadonlySet<string> = new Set([".pdf", ".docx", ".pptx", ".xlsx"]);

/** Which files of a folder are wanted. */
export interface Patterns {
  /** Empty: the four formats by their extensions. */
  readonly include: readonly string[];
  readonly exclude: readonly string[];
}

/** Whether a file of a folder is wanted; `path` is relative to that folder, with slashes. */
export function isWanted(path: string, { include, exclude }: Patterns): boolean {
  if (exclude.some((pattern) => matches(path, pattern))) return false;
  if (include.length === 0) return documentExtensions.has(extname(path).toLowerCase());
  return include.some((pattern) => matches(path, pattern));
}

/** Whether nothing of a folder is wanted, so that it need not be entered. */
export function isShutOut(path: string, { exclude }: Patterns): boolean {
  return exclude.some((pattern) => {
    const contents = /^(.+)\/\*\*$/.exec(pattern)?.[1];
    return contents === undefined
      ? matches(path, pattern.replace(/(?<=.)\/$/, ""))
      : matchesGlob(path.toLowerCase(), contents.toLowerCase());
  });
}

/** A pattern without a slash is about the name, one with a slash about the whole path; case does not count. */
function matches(path: string, pattern: string): boolean {
  const subject = pattern.includes("/") ? path : basename(path);
  return matchesGlob(subject.toLowerCase(), pattern.toLowerCase());
}

/** Names that a folder does not stand for: hidden files, and the locks that Office leaves beside open documents. */
export function isHidden(name: string): boolean {
  return name.startsWith(".") || name.startsWith("~$");
}
