import type { Table, VectorQuery } from "@lancedb/lancedb";
import type { WorkspaceId } from "../../domain/ids.ts";
import type { DenseQuery, DenseSpace, PageHit, PageKey, SearchScope } from "../../domain/ports/vectors.ts";
import { retryVanished } from "./conflicts.ts";
import { pagesFilter, scopeFilter } from "./filters.ts";
import { isEmpty, ranked } from "./ranking.ts";
import { hitsOf } from "./rows.ts";
import type { Tables } from "./tables.ts";

/** Up to this many pages a search in datasets compares all their vectors: 12 µs a page of nine vectors of 1,024. */
const exactPages = 2_000;
/** The same for a whole workspace, where two passes are the quicker way from here on. */
const exactWorkspacePages = 200;
/** Late interaction compares hundreds of vectors a page with dozens of the query: some milliseconds for ten pages. */
const exactMaxSimPages = 100;

/**
 * Pages that the first pass finds for the second, at least, and per page wanted. Of the ten best of 89,200 pages of real
 * text the second then has 97 to 99 % (docs/decisions/0011-search-storage.md).
 */
const fewestCandidates = 150;
const candidatesPerHit = 1.5;

/**
 * All partitions of the index, however many: a query lies far from what it is about, and looking only into those nearest
 * to it lost a tenth of the pages. Comparing the codes of all of them takes a few milliseconds.
 */
const everyPartition = 65_536;

/** Pages whose vectors are read together. */
const pagesPerRead = 1_000;

export async function searchDense(
  tables: Tables,
  space: DenseSpace,
  query: DenseQuery,
  scope: SearchScope,
): Promise<readonly PageHit[]> {
  const vectors = vectorsOfQuery(space, query);
  const table = await tables.find(space);
  if (table === undefined || isEmpty(scope)) return [];
  return retryVanished(async () => {
    const filter = scopeFilter(scope);
    if (await isSmall(table, space, scope, filter)) {
      const all = nearest(table, vectors, "vectors").bypassVectorIndex();
      return hits(all.where(filter).limit(scope.limit), vectors.length, scope.limit);
    }
    const limit = Math.max(fewestCandidates, Math.ceil(candidatesPerHit * scope.limit));
    const column = space.firstPass === "pooled" ? "pooled" : "vectors";
    const first = nearest(table, vectors, column).nprobes(everyPartition).where(filter).limit(limit);
    const candidates = await hits(first, vectors.length, limit);
    return ranked(await exactScores(table, vectors, candidates, scope.workspaceId), scope.limit);
  });
}

export async function scorePages(
  tables: Tables,
  space: DenseSpace,
  query: DenseQuery,
  pages: readonly PageKey[],
  workspaceId: WorkspaceId,
): Promise<readonly PageHit[]> {
  const vectors = vectorsOfQuery(space, query);
  const table = await tables.find(space);
  if (table === undefined) return [];
  return retryVanished(() => exactScores(table, vectors, pages, workspaceId));
}

async function exactScores(
  table: Table,
  vectors: readonly Float32Array[],
  pages: readonly PageKey[],
  workspaceId: WorkspaceId,
): Promise<readonly PageHit[]> {
  const found: PageHit[] = [];
  for (let from = 0; from < pages.length; from += pagesPerRead) {
    const some = pages.slice(from, from + pagesPerRead);
    const all = nearest(table, vectors, "vectors").bypassVectorIndex();
    found.push(
      ...(await hits(all.where(pagesFilter(workspaceId, some)).limit(some.length), vectors.length, some.length)),
    );
  }
  return found;
}

/** Are there so few pages in the scope that comparing all their vectors is quick? */
async function isSmall(table: Table, space: DenseSpace, scope: SearchScope, filter: string): Promise<boolean> {
  const few = scope.datasetIds === undefined ? exactWorkspacePages : exactPages;
  const most = space.scoring === "max-sim" ? exactMaxSimPages : few;
  return (await table.countRows()) <= most || (await table.countRows(filter)) <= most;
}

/** Ranks pages by a column of vector lists: with one vector by the nearest of the list, with several by their sum. */
function nearest(table: Table, [first, ...others]: readonly Float32Array[], column: string): VectorQuery {
  if (first === undefined) throw new TypeError("a query without vectors");
  const query = table.query().nearestTo(first).column(column).distanceType("cosine");
  for (const vector of others) query.addQueryVector(vector);
  return query;
}

async function hits(query: VectorQuery, queryVectors: number, limit: number): Promise<readonly PageHit[]> {
  const rows = await query.select(["datasetId", "page", "_distance"]).toArrow();
  // The distance is the sum of those of all the query's vectors.
  return ranked(
    hitsOf(rows, "_distance", (distance) => 1 - distance / queryVectors),
    limit,
  );
}

function vectorsOfQuery({ name, scoring = "best" }: DenseSpace, query: DenseQuery): readonly Float32Array[] {
  const vectors = query instanceof Float32Array ? [query] : query;
  if (scoring === "best" && vectors.length > 1) {
    throw new TypeError(`${vectors.length} vectors for the space ${name}, which is asked with one`);
  }
  return vectors;
}
