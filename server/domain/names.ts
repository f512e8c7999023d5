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
