import { distance } from "fastest-levenshtein";

/** Maximum characters of a caller's text that an error repeats. */
const maxShown = 64;

/** Returns the most similar known name; undefined if none is similar. Case, dashes and underscores are ignored. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  const asked = bare(name.slice(0, maxShown));
  const ranked = known.map((candidate) => ({ candidate, edits: distance(asked, bare(candidate)) }));
  const [best] = ranked.toSorted((one, other) => one.edits - other.edits);
  // Up to a third of the letters may be wrong.
  if (best === undefined || best.edits > Math.max(1, Math.floor(asked.length / 3))) return undefined;
  return best.candidate;
}

/** Suggests the most similar name for an unknown one, or lists the known names. */
export function suggestion(name: string, known: readonly string[], prefix = ""): string {
  const nearest = nearestName(name, known);
  if (nearest !== undefined) return `; did you mean ${prefix}${nearest}?`;
  return known.length === 0 ? "; there are none" : `; there are ${known.join(", ")}`;
}

/** Shortens a caller's name for an error to one line. */
export function shownName(name: string): string {
  const line = name.replaceAll(/\p{C}/gu, "?");
  return line.length > maxShown ? `${line.slice(0, maxShown)}…` : line;
}

function bare(name: string): string {
  return name.replaceAll(/[-_]/g, "").toLowerCase();
}
