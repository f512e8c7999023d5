/**
 * Returns a name as the service stores it: in composed form (NFC), only the part after the last slash or backslash,
 * without control characters and direction marks, and trimmed. File systems write the same name in several ways.
 */
export function storedName(fileName: string): string {
  const last = fileName.normalize("NFC").split(/[\\/]/).at(-1) ?? "";
  return last.replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}\u2028\u2029]/gu, "").trim();
}
