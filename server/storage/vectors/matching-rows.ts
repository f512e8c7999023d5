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
  const found = await pagesOf(asked, rows, 0, endOf(rows, scope.limit));
  if (found === undefined) return findByIds(asked, scope, best);
  const first = ranked(found, scope.limit);
  if (best === undefined || best.datasetIds.length === 0) return first;
  const ofBest = await bestAmong(asked, rows, best);
  const isWhole = ofBest !== undefined && (ofBest.length === best.limit || rows.scores.length < limit);
  return eachOnce([...first, ...(isWhole ? ofBest : await findMatching(asked, { ...scope, ...best }))]);
}

/** Best first; of each row what is at its place. */
interface ScoredRows {
  readonly addresses: BigUint64Array;
  readonly scores: Float32Array;
}

async function rowsOf({ table, query }: Matching, scope: SearchScope, limit: number): Promise<ScoredRows> {
  const rows = table.query().fullTextSearch(query).where(scopeFilter(scope)).withRowId().select(["_score"]);
  const found = await rows.limit(limit).toArrow();
  const addresses: unknown = found.getChild("_rowid")?.toArray();
  const scores: unknown = found.getChild("_score")?.toArray();
  if (!(addresses instanceof BigUint64Array) || !(scores instanceof Float32Array)) {
    return { addresses: new BigUint64Array(), scores: new Float32Array() };
  }
  if (scores.every((score, at) => at === 0 || score <= (scores[at - 1] ?? 0))) return { addresses, scores };
  const order = Array.from(scores.keys()).sort((one, other) => (scores[other] ?? 0) - (scores[one] ?? 0));
  return {
    addresses: BigUint64Array.from(order, (at) => addresses[at] ?? 0n),
    scores: Float32Array.from(order, (at) => scores[at] ?? 0),
  };
}

/** Where the first `limit` rows end, with all that are as good as the last of them. */
function endOf({ scores }: ScoredRows, limit: number): number {
  const last = scores[limit - 1];
  let end = Math.min(limit, scores.length);
  while (end < scores.length && scores[end] === last) end++;
  return end;
}

/** Undefined if rows have been moved since they were found. */
async function pagesOf(
  { table, names }: Matching,
  { addresses, scores }: ScoredRows,
  from: number,
  to: number,
): Promise<readonly PageHit[] | undefined> {
  const some = Array.from(addresses.subarray(from, to));
  const named = await names.of(table, some);
  const hits: PageHit[] = [];
  for (const [at, address] of some.entries()) {
    const page = named.get(address)?.page;
    if (page === undefined) return undefined;
    hits.push({ ...page, score: scores[from + at] ?? 0 });
  }
  return hits;
}

/** The best pages of some datasets, as far as they are among the rows; undefined if rows have been moved. */
async function bestAmong(
  asked: Matching,
  rows: ScoredRows,
  { datasetIds, limit }: BestOf,
): Promise<readonly PageHit[] | undefined> {
  const wanted = new Set(datasetIds);
  const found: PageHit[] = [];
  for (let from = 0; from < rows.scores.length && found.length < limit; from += rowsPerLook) {
    const pages = await pagesOf(asked, rows, from, from + rowsPerLook);
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
