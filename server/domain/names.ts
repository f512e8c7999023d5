import { invalid } from "./errors.ts";

/**
 * Cleans the name of a person or an organisation for display: without control characters and direction marks.
 * Throws `invalid` if nothing is left.
 */
export function cleanName(name: string): string {
  const clean = name
    .normalize("NFC")
    .replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}\u2028\u2029]/gu, "")
    .trim();
  if (clean === "") throw invalid("name: give a name of at least one visible character");
  return clean;
}

const maxLength = 255;

/**
 * Returns a user's file name in a form that is safe to store and to show: the last part of a path, without control
 * characters and direction marks, at most 255 characters. It is never used as a path.
 */
export function cleanFileName(name: string, fallback: string): string {
  const last = name.normalize("NFC").split(/[\\/]/).at(-1) ?? "";
  const clean = last.replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}\u2028\u2029]/gu, "").trim();
  if (clean === "" || /^\.+$/.test(clean)) return fallback;
  const extension = /\.[^.]{1,16}$/.exec(clean)?.[0] ?? "";
  const characters = Array.from(clean);
  if (characters.length <= maxLength) return clean;
  return characters.slice(0, maxLength - extension.length).join("") + extension;
}

/** The file name in a URL: the last part of its path, not cleaned. Empty if the path ends in a slash. */
export function addressFileName({ pathname }: URL): string {
  const last = pathname.split("/").at(-1) ?? "";
  try {
    return decodeURIComponent(last);
  } catch {
    // A literal percent sign, or bytes that are not UTF-8.
    return last;
  }
}
