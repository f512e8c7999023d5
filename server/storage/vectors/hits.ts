import type { Table } from "apache-arrow";
import type { PageHit } from "../../domain/ports/vectors.ts";
import { float32 } from "./columns.ts";
import { parsePageId } from "./filters.ts";

/**
 * The hits of a search: rows of an id, the column that ranks them, whose values become scores, and, if requested, a
 * vector.
 */
export function hitsOf(
  table: Table,
  column: "_distance" | "_score",
  scoreOf: (rank: number) => number = (rank) => rank,
): PageHit[] {
  const ids = table.getChild("id");
  const ranks = table.getChild(column);
  const vectors = table.getChild("vector");
  const hits: PageHit[] = [];
  for (let index = 0; index < table.numRows; index++) {
    const row = parsePageId(String(ids?.get(index)));
    const score = scoreOf(Number(ranks?.get(index)));
    // The cosine of a vector of zeros is NaN; such a row matches nothing.
    if (row === undefined || !Number.isFinite(score)) continue;
    const hit = { ...row, score };
    hits.push(vectors === null ? hit : { ...hit, vector: float32(vectors.get(index)?.toArray()) });
  }
  return hits;
}
