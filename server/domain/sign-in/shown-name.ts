import { cleanName } from "../names.ts";
import type { Person } from "../ports/provider-sign-in.ts";

/** As long as a name in an invitation may be. */
const maxLength = 128;

/** The name of a person in lists: from the provider, else the e-mail address, else the provider's identifier. */
export function shownName({ name, verifiedEmail, subject }: Person): string {
  for (const candidate of [name, verifiedEmail, subject]) {
    try {
      if (candidate !== undefined) return cleanName(candidate.slice(0, maxLength));
    } catch {
      // It has no visible characters.
    }
  }
  return "nameless";
}
