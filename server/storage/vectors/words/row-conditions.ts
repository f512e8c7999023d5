import type { WorkspaceId } from "../../../domain/ids.ts";
import type { WordConditions } from "../../../domain/ports/vectors.ts";
import { createPageMap, type PageMap } from "../page-map.ts";
import { termsInOrder } from "../terms.ts";
import type { RowConditions, TableWords } from "./table-words.ts";

/**
 * The rows that have all words of the phrases, in any order, and no word that is left out; undefined: there are no conditions. The
 * words of phrases count each time that they are there, as if they were asked for: so the index scores rows.
 */
export function rowConditions(words: TableWords, { phrases, without }: WordConditions): RowConditions | undefined {
  if (phrases.length + without.length === 0) return undefined;
  const wanted = phrases.map(termsInOrder);
  const having = wanted.map((terms) => words.rowsWith(terms));
  const lacking = without.map((word) => words.rowsWith(termsInOrder(word)));
  const rows = words.segments.map(({ segment }, at) => {
    const marks = new Uint8Array(segment.pages.length).fill(1);
    for (const some of having) keepWhere(marks, some[at], 1);
    for (const some of lacking) keepWhere(marks, some[at], 0);
    return marks;
  });
  return { rows, counting: wanted.map((terms) => ({ terms, weight: 1 })) };
}

function keepWhere(marks: Uint8Array, others: Uint8Array | undefined, wanted: 0 | 1): void {
  for (let row = 0; row < marks.length; row++) if (others?.[row] !== wanted) marks[row] = 0;
}

/** The pages of a workspace that have any of the words. */
export function pagesWithAny(words: TableWords, some: readonly string[], workspaceId: WorkspaceId): PageMap<true> {
  const found = createPageMap<true>();
  for (const word of some) {
    for (const page of words.pagesOf(words.rowsWith(termsInOrder(word)), workspaceId)) found.set(page, true);
  }
  return found;
}
