import type { Table, VectorQuery } from "@lancedb/lancedb";
import type { DenseQuery, DenseSpace, PageHit, PageKey, Pass, SearchScope } from "../../../domain/ports/vectors.ts";
import { type CodeQuery, type CodedMemory, scoreCodes, searchCodes } from "./coded-search.ts";
import { countRows } from "../rows/read-rows.ts";
import { filtered, pageId, rowsFilter, scopeFilter } from "../filters.ts";
import { hitsPassing } from "../post-filter.ts";
import { bestAnd, candidatesFor, everyPartition, hitsOf, isEmpty, ranked } from "../ranking.ts";
import { columnName } from "../layout.ts";
import { isCoded } from "./codes.ts";

/**
 * Maximum number of pages for which a search in datasets compares all vectors. This takes 12 µs per page of nine
 * vectors with 1,024 dimensions.
 */
const exactPages = 2_000;
/** The same limit for a whole workspace; beyond it, two passes are faster. */
const exactWorkspacePages = 200;
/**
 * The same limit for late interaction, which compares hundreds of vectors per page with dozens of the query: some
 * milliseconds for ten pages.
 */
const exactMaxSimPages = 100;
/** Up to this number of pages, the scores of all are returned, so that pages from other spaces need no second query. */
const allGiven = 500;

/** Number of pages per read of vectors. */
const pagesPerRead = 1_000;

export async function searchDense(
  { table, ...memory }: CodedMemory & { readonly table: Table },
  space: DenseSpace,
  query: DenseQuery,
  scope: SearchScope,
  also?: Promise<readonly PageKey[]>,
): Promise<readonly PageHit[]> {
  const vectors = vectorsOfQuery(space, query);
  if (isEmpty(scope)) return [];
  const pages = await countPages(table, space, scope);
  if (isCoded(space)) return searchCodes({ ...askedCodes({ table, space, vectors }, memory), scope }, pages, also);
  const asked = { table, space, vectors, scope, also };
  if (scope.pass !== undefined) return comparePassing(asked, scope.pass, pages);
  return pages === undefined ? compareCandidates(asked) : compareAll(asked, pages);
}

/** Compares pages that must pass a filter. Pages found by other spaces have passed it there. */
async function comparePassing(asked: DenseSearch, pass: Pass, pages: number | undefined): Promise<readonly PageHit[]> {
  const { scope, table, space, vectors, also } = asked;
  const best = await hitsPassing(pass, scope.limit, (limit) => {
    const wider = { ...asked, also: undefined, scope: { ...scope, limit } };
    return pages === undefined ? compareCandidates(wider) : compareAll(wider, pages);
  });
  const first = best.slice(0, scope.limit);
  const known = new Set(first.map(pageId));
  const unknown = ((await also) ?? []).filter((page) => !known.has(pageId(page)));
  const scored = await exactScores({ table, space, vectors }, unknown);
  return ranked([...first, ...scored], first.length + scored.length);
}

function askedCodes(
  { table, space, vectors }: Pick<DenseSearch, "table" | "space" | "vectors">,
  memory: CodedMemory,
): CodeQuery {
  const [question] = vectors;
  if (question === undefined) throw new TypeError("a query without vectors");
  return { table, space, question, ...memory };
}

interface DenseSearch {
  readonly table: Table;
  readonly space: DenseSpace;
  readonly vectors: readonly Float32Array[];
  readonly scope: SearchScope;
  readonly also: Promise<readonly PageKey[]> | undefined;
}

/** Searches in one pass, over all vectors. */
async function compareAll(
  { table, space, vectors, scope, also }: DenseSearch,
  pages: number,
): Promise<readonly PageHit[]> {
  if (pages === 0) return [];
  const limit = also !== undefined && pages <= allGiven ? pages : scope.limit;
  const found = await compare({ table, space, vectors, filter: scopeFilter(scope), limit });
  const others = (await also) ?? [];
  if (limit === pages) return bestAnd(found, scope.limit, others);
  const known = new Set(found.map(pageId));
  const unknown = others.filter((page) => !known.has(pageId(page)));
  const scored = [...found, ...(await exactScores({ table, space, vectors }, unknown))];
  return ranked(scored, scored.length);
}

/** Searches in two passes: the index finds pages, and then all vectors of these pages are compared. */
async function compareCandidates({ table, space, vectors, scope, also }: DenseSearch): Promise<readonly PageHit[]> {
  const limit = candidatesFor(scope);
  const column = columnName(`${space.name}.${space.firstPass === "pooled" ? "pooled" : "vectors"}`);
  const first = filtered(nearest(table, vectors, column).nprobes(everyPartition), scopeFilter(scope)).limit(limit);
  const candidates = await hits(first.select(columns), vectors.length, limit);
  // Pages found by other spaces are scored in the same query, because a second query costs as much as reading 40 more
  // pages.
  const others = (await also) ?? [];
  const pages = new Map([...candidates, ...others].map((page) => [pageId(page), page]));
  const scored = await exactScores({ table, space, vectors }, [...pages.values()]);
  return bestAnd(scored, scope.limit, others);
}

export async function scorePages(
  { table, ...memory }: CodedMemory & { readonly table: Table },
  space: DenseSpace,
  query: DenseQuery,
  pages: readonly PageKey[],
): Promise<readonly PageHit[]> {
  const vectors = vectorsOfQuery(space, query);
  if (!isCoded(space)) return exactScores({ table, space, vectors }, pages);
  return scoreCodes(askedCodes({ table, space, vectors }, memory), pages);
}

async function exactScores(
  asked: Pick<DenseSearch, "table" | "space" | "vectors">,
  pages: readonly PageKey[],
): Promise<readonly PageHit[]> {
  const found: PageHit[] = [];
  for (let from = 0; from < pages.length; from += pagesPerRead) {
    const some = pages.slice(from, from + pagesPerRead);
    const filter = rowsFilter(some.map(pageId));
    found.push(...(await compare({ ...asked, filter, limit: some.length })));
  }
  return found;
}

interface Compared extends Pick<DenseSearch, "table" | "space" | "vectors"> {
  readonly filter: string | undefined;
  readonly limit: number;
}

/** Compares all vectors of the given pages. */
async function compare({ table, space, vectors, filter, limit }: Compared): Promise<readonly PageHit[]> {
  const column = columnName(`${space.name}.vectors`);
  const all = filtered(nearest(table, vectors, column).bypassVectorIndex(), filter).limit(limit);
  return hits(all.select(space.givesVectors === true ? withVector(column) : columns), vectors.length, limit);
}

const columns = ["id", "_distance"];
/** Including the page's first vector costs nothing, since all vectors are read anyway. */
const withVector = (column: string): Map<string, string> =>
  new Map([...columns.map((name) => [name, name] as const), ["vector", `array_element(${column}, 1)`]]);

/** Maximum number of pages in a scope for which comparing all their vectors is fast. */
function maxCompared({ scoring }: DenseSpace, { datasetIds }: SearchScope): number {
  if (scoring === "max-sim") return exactMaxSimPages;
  return datasetIds === undefined ? exactWorkspacePages : exactPages;
}

/** Returns the number of rows in the scope; undefined if there are too many to compare all of them. */
async function countPages(table: Table, space: DenseSpace, scope: SearchScope): Promise<number | undefined> {
  const max = maxCompared(space, scope);
  const all = await countRows(table, false);
  const filter = scopeFilter(scope);
  // If the scope has statistics of its own, the number of rows outside it must not affect which pages are compared.
  const isEnough = filter === undefined || (all <= max && scope.statistics !== "scope");
  const pages = isEnough ? all : await table.countRows(filter);
  return pages <= max ? pages : undefined;
}

/**
 * Ranks pages by a column of vector lists: for one query vector, by the nearest vector of the list; for several, by the
 * sum of the distances to the nearest ones.
 */
function nearest(table: Table, [first, ...others]: readonly Float32Array[], column: string): VectorQuery {
  if (first === undefined) throw new TypeError("a query without vectors");
  const query = table.query().nearestTo(first).column(column).distanceType("cosine");
  for (const vector of others) query.addQueryVector(vector);
  return query;
}

async function hits(query: VectorQuery, queryVectors: number, limit: number): Promise<readonly PageHit[]> {
  const rows = await query.toArrow();
  // The distance is a sum over all vectors of the query.
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
