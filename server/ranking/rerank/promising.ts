import { bestFirst, type Candidates } from "../retrieve/candidates.ts";
import type { Reading } from "./reading.ts";
import { withDocuments } from "../fuse/document-evidence.ts";
import { add, amountsOfSpaces } from "../fuse/fusion.ts";
import type { FusionSettings } from "../../domain/ports/pack-ranking.ts";

interface Wanted extends Pick<Reading, "documents"> {
  readonly most: number;
}

/**
 * The places of the candidates, at most so many, that have the most evidence of the spaces and of their documents, most first:
 * those that are worth reading. Pages of a document that the question names are not the first in any space.
 */
export function promising(groups: FusionSettings, found: Candidates, { documents, most }: Wanted): readonly number[] {
  const group = groups.find(({ ranker }) => ranker !== undefined);
  if (group === undefined || found.pages.length <= most) return [...found.pages.keys()];
  const sum = new Float64Array(found.pages.length);
  for (const { amounts } of amountsOfSpaces(group, found)) add(sum, amounts);
  return bestFirst(found.pages, withDocuments(group, found, { sum, documents })).slice(0, most);
}
