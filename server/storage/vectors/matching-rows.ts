import type { FullTextQuery, Table } from "@lancedb/lancedb";
import type { BestOf, PageHit, SearchScope } from "../../domain/ports/vectors.ts";
import { scopeFilter } from "./filters.ts";
import { eachOnce, ranked } from "./ranking.ts";
import type { RowNames } from "./row-names.ts";
import { hitsOf } from "./rows.ts";

interface Matching {
  readonly table: Table;
  readonly names: RowNames;
  readonly query: FullTextQuery;
}

/** Rows of a search by words in which the best pages of some datasets are looked for: to find more takes next to nothing. */
const wideRows = 2_000;
/** Rows of which the pages are looked up together. */
const rowsPerLook = 250;

/** The pages that match the query best, and, where asked for, the best of some datasets. */
export async function findMatching(
  asked: Matching,
  scope: SearchScope,
  also?: Promise<BestOf>,
): Promise<readonly PageHit[]> {
  const limit = also === undefined ? scope.limit : Math.max(scope.limit, wideRows);
  const [rows, best] = await Promise.all([rowsOf(asked, scope, limit), also]);
  const found = await pagesOf(asked, rows.slice(0, endOf(rows, scope.limit)));
  if (found === undefined) return findByIds(asked, scope, best);
  const first = ranked(found, scope.limit);
  if (best === undefined || best.datasetIds.length === 0) return first;
  const ofBest = await bestAmong(asked, rows, best);
  const isWhole = ofBest !== undefined && (ofBest.length === best.limit || rows.length < limit);
  return eachOnce([...first, ...(isWhole ? ofBest : await findMatching(asked, { ...scope, ...best }))]);
}

interface ScoredRow {
  readonly address: bigint;
  readonly score: number;
}

/** Best first. */
async function rowsOf({ table, query }: Matching, scope: SearchScope, limit: number): Promise<readonly ScoredRow[]> {
  const rows = table.query().fullTextSearch(query).where(scopeFilter(scope)).withRowId().select(["_score"]);
  const found = await rows.limit(limit).toArrow();
  const addresses: unknown = found.getChild("_rowid")?.toArray();
  const scores: unknown = found.getChild("_score")?.toArray();
  if (!(addresses instanceof BigUint64Array) || !(scores instanceof Float32Array)) return [];
  const scored = Array.from(addresses, (address, at) => ({ address, score: scores[at] ?? 0 }));
  return scored.sort((one, other) => other.score - one.score);
}

/** Where the first `limit` rows end, with all that are as good as the last of them. */
function endOf(rows: readonly ScoredRow[], limit: number): number {
  const last = rows[limit - 1]?.score;
  let end = Math.min(limit, rows.length);
  while (end < rows.length && rows[end]?.score === last) end++;
  return end;
}

/** Undefined if rows have been moved since they were found. */
async function pagesOf(
  { table, names }: Matching,
  rows: readonly ScoredRow[],
): Promise<readonly PageHit[] | undefined> {
  const named = await names.of(
    table,
    rows.map(({ address }) => address),
  );
  const hits = rows.flatMap(({ address, score }) => {
    const page = named.get(address)?.page;
    return page === undefined ? [] : [{ ...page, score }];
  });
  return hits.length === rows.length ? hits : undefined;
}

/** The best pages of some datasets, as far as they are among the rows; undefined if rows have been moved. */
async function bestAmong(
  asked: Matching,
  rows: readonly ScoredRow[],
  { datasetIds, limit }: BestOf,
): Promise<readonly PageHit[] | undefined> {
  const wanted = new Set(datasetIds);
  const found: PageHit[] = [];
  for (let from = 0; from < rows.length && found.length < limit; from += rowsPerLook) {
    const pages = await pagesOf(asked, rows.slice(from, from + rowsPerLook));
    if (pages === undefined) return undefined;
    found.push(...pages.filter(({ datasetId }) => wanted.has(datasetId)));
  }
  return ranked(found, limit);
}

/** The same with the rows' ids, all of one version of the table. */
async function findByIds(
  { table, query }: Matching,
  scope: SearchScope,
  best: BestOf | undefined,
): Promise<readonly PageHit[]> {
  const find = async (within: SearchScope): Promise<readonly PageHit[]> => {
    const rows = table.query().fullTextSearch(query).where(scopeFilter(within)).select(["id", "_score"]);
    return ranked(hitsOf(await rows.limit(within.limit).toArrow(), "_score"), within.limit);
  };
  const first = await find(scope);
  if (best === undefined || best.datasetIds.length === 0) return first;
  return eachOnce([...first, ...(await find({ ...scope, ...best }))]);
}
