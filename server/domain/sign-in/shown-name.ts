import { cleanName } from "../names.ts";
import type { Person } from "../ports/identity-provider.ts";

/** As long as a name in an invitation may be. */
const maxLength = 128;

/** What a person is called in lists: the provider's word, else the e-mail address, else what the provider knows it by. */
export function shownName({ name, verifiedEmail, subject }: Person): string {
  for (const candidate of [name, verifiedEmail, subject]) {
    try {
      if (candidate !== undefined) return cleanName(candidate.slice(0, maxLength));
    } catch {
      // Nothing of it can be seen.
    }
  }
  return "nameless";
}
