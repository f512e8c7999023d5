import { distance } from "fastest-levenshtein";

/** Longest part of what others have written that an error repeats. */
const maxShown = 64;

/** The known name that was probably meant; undefined if none is near. Case, dashes and underscores do not count. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  const asked = bare(name.slice(0, maxShown));
  const ranked = known.map((candidate) => ({ candidate, edits: distance(asked, bare(candidate)) }));
  const [best] = ranked.toSorted((one, other) => one.edits - other.edits);
  // A third of the letters may be wrong, as of a word that is still recognised.
  if (best === undefined || best.edits > Math.max(1, Math.floor(asked.length / 3))) return undefined;
  return best.candidate;
}

/** Says behind a name that is not known which one was meant, or else which ones there are. */
export function suggestion(name: string, known: readonly string[], prefix = ""): string {
  const nearest = nearestName(name, known);
  if (nearest !== undefined) return `; did you mean ${prefix}${nearest}?`;
  return known.length === 0 ? "; there are none" : `; there are ${known.join(", ")}`;
}

/** A name that others have written, for an error: one line, not too long. */
export function shownName(name: string): string {
  const line = name.replaceAll(/\p{C}/gu, "?");
  return line.length > maxShown ? `${line.slice(0, maxShown)}…` : line;
}

function bare(name: string): string {
  return name.replaceAll(/[-_]/g, "").toLowerCase();
}
