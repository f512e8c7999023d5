import type { Table } from "@lancedb/lancedb";
import type { DenseSpace, LexicalSpace, PageHit, SearchScope } from "../../domain/ports/vectors.ts";
import { retryVanished } from "./conflicts.ts";
import { scopeFilter } from "./filters.ts";
import { loadLance } from "./lance.ts";
import { hitsOf } from "./rows.ts";
import type { Tables } from "./tables.ts";

/**
 * Up to this many rows a search compares them all: on 20,000 rows of 512 dimensions that takes some 15 ms, and an
 * index with a narrow filter misses rows, because it looks only into the partitions nearest to the query.
 */
export const exactRows = 20_000;

/** Rows fetched per hit wanted, because a page has several vectors (the whole page and its parts). */
const rowsPerHit = 4;

/** Candidates of the compressed index, per row wanted, that are compared again with the full vectors. */
const refineFactor = 5;

export async function searchDense(
  tables: Tables,
  space: DenseSpace,
  vector: Float32Array,
  scope: SearchScope,
): Promise<readonly PageHit[]> {
  const table = await tables.find(space);
  if (table === undefined || isEmpty(scope)) return [];
  return retryVanished(async () => {
    const probes = await indexProbes(table, scope);
    return distinctPages(scope.limit, async (rows) => {
      const query = table.query().nearestTo(vector).distanceType("cosine").where(scopeFilter(scope));
      const ranked =
        probes === undefined ? query.bypassVectorIndex() : query.nprobes(probes).refineFactor(refineFactor);
      return hitsOf(await ranked.select(["datasetId", "page", "_distance"]).limit(rows).toArrow(), "_distance");
    });
  });
}

export async function searchLexical(
  tables: Tables,
  space: LexicalSpace,
  text: string,
  scope: SearchScope,
): Promise<readonly PageHit[]> {
  const table = await tables.find(space);
  if (table === undefined || isEmpty(scope) || text.trim() === "") return [];
  const { lancedb } = await loadLance();
  // A match query takes its text as words; a plain string would be read as query syntax.
  const words = new lancedb.MatchQuery(text, "words");
  return retryVanished(async () => {
    const scale = weightOfRarest(referenceRows) / weightOfRarest(Math.max(2, await table.countRows()));
    const hits = await distinctPages(scope.limit, async (rows) => {
      const query = table.query().fullTextSearch(words).where(scopeFilter(scope));
      return hitsOf(await query.select(["datasetId", "page", "_score"]).limit(rows).toArrow(), "_score");
    });
    return hits.map((hit) => ({ ...hit, score: hit.score * scale }));
  });
}

/**
 * BM25 weighs a word by how rare it is, so that the same match counts more the larger the index is. Scores are given
 * as in an index of so many pages, so that they mean the same on the first day and after a year.
 */
const referenceRows = 1_000;

/** What BM25 makes of a word that only one row has (Robertson and Zaragoza, 2009, with Lucene's one added). */
const weightOfRarest = (rows: number): number => Math.log(1 + (rows - 0.5) / 1.5);

/** How many partitions of the vector index to look into; undefined: compare every row in scope. */
async function indexProbes(table: Table, scope: SearchScope): Promise<number | undefined> {
  if (scope.datasetIds !== undefined) return undefined;
  const rows = await table.countRows();
  if (rows <= exactRows || (await table.countRows(scopeFilter(scope))) <= exactRows) return undefined;
  // An eighth of the partitions, of which there are as many as the square root of the rows.
  return Math.max(20, Math.ceil(Math.sqrt(rows) / 8));
}

/** Best row of each page, best first; fetches more until there are enough pages or no more rows. */
async function distinctPages(limit: number, fetch: (rows: number) => Promise<PageHit[]>): Promise<PageHit[]> {
  for (let rows = limit * rowsPerHit; ; rows *= 4) {
    const hits = await fetch(rows);
    const best = new Map<string, PageHit>();
    for (const hit of hits) {
      const key = `${hit.datasetId}/${hit.page}`;
      if ((best.get(key)?.score ?? Number.NEGATIVE_INFINITY) < hit.score) best.set(key, hit);
    }
    if (best.size >= limit || hits.length < rows) return [...best.values()].sort(byRank).slice(0, limit);
  }
}

/** Equal scores come in the order of dataset and page, so that the same search gives the same list. */
function byRank(one: PageHit, other: PageHit): number {
  if (one.score !== other.score) return other.score - one.score;
  if (one.datasetId !== other.datasetId) return one.datasetId < other.datasetId ? -1 : 1;
  return one.page - other.page;
}

const isEmpty = ({ datasetIds, limit }: SearchScope): boolean => datasetIds?.length === 0 || limit < 1;
