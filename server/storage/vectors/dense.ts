import type { Table, VectorQuery } from "@lancedb/lancedb";
import type { WorkspaceId } from "../../domain/ids.ts";
import type { DenseQuery, DenseSpace, PageHit, PageKey, SearchScope } from "../../domain/ports/vectors.ts";
import { retryVanished } from "./conflicts.ts";
import { rowId, rowsInFilter, scopeFilter } from "./filters.ts";
import { isEmpty, ranked } from "./ranking.ts";
import { hitsOf } from "./rows.ts";
import { tableName } from "./table-names.ts";
import type { Tables } from "./tables.ts";

/** Up to this many pages a search in datasets compares all their vectors: 12 µs a page of nine vectors of 1,024. */
const exactPages = 2_000;
/** The same for a whole workspace, where two passes are the quicker way from here on. */
const exactWorkspacePages = 200;
/** Late interaction compares hundreds of vectors a page with dozens of the query: some milliseconds for ten pages. */
const exactMaxSimPages = 100;
/** Of up to so many compared pages all scores are kept, so that those that other spaces have found need no second query. */
const allGiven = 500;

/**
 * Pages that the first pass finds for the second, at least, and per page wanted. Of the ten best of 89,200 pages of real
 * text the second then has 97 to 99 % (RESULTS.md).
 */
const minCandidates = 120;
const candidatesPerHit = 1.2;

/**
 * All partitions of the index, however many: a query is far from the vectors of its answers, and searching only the
 * partitions nearest to it lost a tenth of the pages. Comparing the codes of all of them takes a few milliseconds.
 */
const everyPartition = 65_536;

/** Pages whose vectors are read together. */
const pagesPerRead = 1_000;

/**
 * Workspaces that have been seen to have too many pages in a table for one pass, so that they need not be counted for every
 * question. One that has shrunk meanwhile loses next to nothing: most of the pages that are left are candidates.
 */
export type LargeWorkspaces = Set<string>;

/** Some megabytes. */
const maxLarge = 50_000;

export async function searchDense(
  { tables, large }: { readonly tables: Tables; readonly large: LargeWorkspaces },
  space: DenseSpace,
  query: DenseQuery,
  scope: SearchScope,
  also?: Promise<readonly PageKey[]>,
): Promise<readonly PageHit[]> {
  // It is awaited later, and may fail before.
  also?.catch(() => undefined);
  const vectors = vectorsOfQuery(space, query);
  const table = await tables.find(space);
  if (table === undefined || isEmpty(scope)) return [];
  return retryVanished(async () => {
    const asked = { table, space, vectors, scope, also };
    const key = `${tableName(space)} ${scope.workspaceId}`;
    if (scope.datasetIds === undefined && large.has(key)) return compareCandidates(asked);
    const max = maxCompared(space, scope);
    const pages = await countPages(table, scope, max);
    if (pages <= max) return compareAll(asked, pages);
    if (large.size >= maxLarge) large.clear();
    large.add(key);
    return compareCandidates(asked);
  });
}

interface Asked {
  readonly table: Table;
  readonly space: DenseSpace;
  readonly vectors: readonly Float32Array[];
  readonly scope: SearchScope;
  readonly also: Promise<readonly PageKey[]> | undefined;
}

/** One pass, over all vectors. */
async function compareAll({ table, space, vectors, scope, also }: Asked, pages: number): Promise<readonly PageHit[]> {
  if (pages === 0) return [];
  const limit = also !== undefined && pages <= allGiven ? pages : scope.limit;
  const found = await compare({ table, space, vectors, filter: scopeFilter(scope), limit });
  const others = (await also) ?? [];
  if (limit === pages) return bestAnd(found, scope.limit, others);
  const known = new Set(found.map(rowId));
  const unknown = others.filter((page) => !known.has(rowId(page)));
  const scored = [...found, ...(await exactScores({ table, space, vectors }, unknown, scope.workspaceId))];
  return ranked(scored, scored.length);
}

/** Two passes: the index finds pages, and then all their vectors are compared. */
async function compareCandidates({ table, space, vectors, scope, also }: Asked): Promise<readonly PageHit[]> {
  const limit = Math.max(minCandidates, Math.ceil(candidatesPerHit * scope.limit));
  const column = space.firstPass === "pooled" ? "pooled" : "vectors";
  const first = nearest(table, vectors, column).nprobes(everyPartition).where(scopeFilter(scope)).limit(limit);
  const candidates = await hits(first.select(columns), vectors.length, limit);
  // The pages of the other spaces are scored in the same query: a second one costs as much as reading forty pages more.
  const others = (await also) ?? [];
  const pages = new Map([...candidates, ...others].map((page) => [rowId(page), page]));
  const scored = await exactScores({ table, space, vectors }, [...pages.values()], scope.workspaceId);
  return bestAnd(scored, scope.limit, others);
}

/** The best of the hits, and those of the given pages, best first. */
function bestAnd(found: readonly PageHit[], limit: number, pages: readonly PageKey[]): readonly PageHit[] {
  const wanted = new Set(pages.map(rowId));
  return ranked(found, found.length).filter((hit, rank) => rank < limit || wanted.has(rowId(hit)));
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
  return retryVanished(() => exactScores({ table, space, vectors }, pages, workspaceId));
}

async function exactScores(
  asked: Pick<Asked, "table" | "space" | "vectors">,
  pages: readonly PageKey[],
  workspaceId: WorkspaceId,
): Promise<readonly PageHit[]> {
  const found: PageHit[] = [];
  for (let from = 0; from < pages.length; from += pagesPerRead) {
    const some = pages.slice(from, from + pagesPerRead);
    const filter = rowsInFilter(workspaceId, some);
    found.push(...(await compare({ ...asked, filter, limit: some.length })));
  }
  return found;
}

interface Compared extends Pick<Asked, "table" | "space" | "vectors"> {
  readonly filter: string;
  readonly limit: number;
}

/** Compares all vectors of the pages. */
async function compare({ table, space, vectors, filter, limit }: Compared): Promise<readonly PageHit[]> {
  const all = nearest(table, vectors, "vectors").bypassVectorIndex().where(filter).limit(limit);
  return hits(space.givesVectors === true ? all.select(columnsWithVector) : all.select(columns), vectors.length, limit);
}

const columns = ["id", "_distance"];
/** The page's first vector as well, which costs nothing: all of them have just been read. */
const columnsWithVector = new Map([
  ...columns.map((name) => [name, name] as const),
  ["vector", "array_element(vectors, 1)"],
]);

/** The pages of a scope up to which comparing all their vectors is quick. */
function maxCompared({ scoring }: DenseSpace, { datasetIds }: SearchScope): number {
  if (scoring === "max-sim") return exactMaxSimPages;
  return datasetIds === undefined ? exactWorkspacePages : exactPages;
}

/** How many pages the scope has; exact if they are more than `max`. */
async function countPages(table: Table, scope: SearchScope, max: number): Promise<number> {
  const all = await table.countRows();
  return all <= max ? all : table.countRows(scopeFilter(scope));
}

/** Ranks pages by a column of vector lists: with one vector by the nearest of the list, with several by their sum. */
function nearest(table: Table, [first, ...others]: readonly Float32Array[], column: string): VectorQuery {
  if (first === undefined) throw new TypeError("a query without vectors");
  const query = table.query().nearestTo(first).column(column).distanceType("cosine");
  for (const vector of others) query.addQueryVector(vector);
  return query;
}

async function hits(query: VectorQuery, queryVectors: number, limit: number): Promise<readonly PageHit[]> {
  const rows = await query.toArrow();
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
