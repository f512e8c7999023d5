const maxLength = 255;

/**
 * A user's file name as it may be stored and shown: the last part of a path, without control characters and
 * direction marks, at most 255 characters. It is never used as a path.
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

/** The file name in an address: the last part of its path. Empty if the path ends in a slash. Not cleaned. */
export function addressFileName({ pathname }: URL): string {
  const last = pathname.split("/").at(-1) ?? "";
  try {
    return decodeURIComponent(last);
  } catch {
    // A percent sign that stands for itself, or bytes that are no UTF-8.
    return last;
  }
}
