import { invalid } from "./errors.ts";

/** The name of a person or an organisation as it may be shown: without control characters and direction marks. Throws `invalid` for an empty one. */
export function cleanName(name: string): string {
  const clean = name
    .normalize("NFC")
    .replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}\u2028\u2029]/gu, "")
    .trim();
  if (clean === "") throw invalid("name: give a name of at least one visible character");
  return clean;
}
