import type { FullTextQuery, Table } from "@lancedb/lancedb";
import type { DatasetId } from "../../domain/ids.ts";
import type { BestOf, PageHit, SearchScope } from "../../domain/ports/vectors.ts";
import { filterWithin, scopeFilter } from "./filters.ts";
import { hitsPassing, untilEnough } from "./passing.ts";
import { eachOnce, ranked } from "./ranking.ts";
import type { RowNames } from "./row-names.ts";
import { hitsOf } from "./rows.ts";
import { askOfWorkspace } from "./standing.ts";

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
  const [passing, best] = await Promise.all([passingRows(asked, scope, limit), also]);
  if (passing === undefined) return findByIds(asked, scope, best);
  const { rows, isAll } = passing;
  const found = await pagesOf(asked, rows, 0, endOf(rows, scope.limit));
  if (found === undefined) return findByIds(asked, scope, best);
  const first = ranked(found, scope.limit);
  if (best === undefined || best.datasetIds.length === 0) return first;
  const ofBest = await bestAmong(asked, rows, best);
  const isWhole = ofBest !== undefined && (ofBest.length === best.limit || isAll);
  return eachOnce([...first, ...(isWhole ? ofBest : await findMatching(asked, { ...scope, ...best }))]);
}

/** Best first; of each row what is at its place. */
interface ScoredRows {
  readonly addresses: BigUint64Array;
  readonly scores: Float32Array;
}

/** The rows of the scope, so many if there are; undefined if rows have been moved since they were found. */
async function passingRows(
  asked: Matching,
  scope: SearchScope,
  limit: number,
): Promise<{ readonly rows: ScoredRows; readonly isAll: boolean } | undefined> {
  const { pass } = scope;
  if (pass === undefined) {
    const rows = await rowsOf(asked, scope, limit);
    return { rows, isAll: rows.scores.length < limit };
  }
  const { kept, isAll } = await untilEnough({ limit: scope.limit, first: limit }, async (wanted) => {
    const rows = await rowsOf(asked, scope, wanted);
    const count = rows.scores.length;
    const named = await asked.names.of(asked.table, rows.addresses);
    if (named === undefined) return { kept: undefined, keptCount: scope.limit, count };
    const ids = Array.from(rows.scores, (_, at): DatasetId => named.datasetId(at));
    const passed = await pass(new Set(ids));
    const isPassing = (_: unknown, at: number): boolean => ids[at] !== undefined && passed.has(ids[at]);
    const some = { addresses: rows.addresses.filter(isPassing), scores: rows.scores.filter(isPassing) };
    return { kept: some, keptCount: some.scores.length, count };
  });
  return kept && { rows: kept, isAll };
}

async function rowsOf({ table, query }: Matching, scope: SearchScope, limit: number): Promise<ScoredRows> {
  const found = await askOfWorkspace(table, scope.workspaceId, (isOnly) => {
    const filter = isOnly ? filterWithin(scope) : scopeFilter(scope);
    const rows = table.query().fullTextSearch(query).withRowId().select(["_score"]).limit(limit);
    return (filter === undefined ? rows : rows.where(filter)).toArrow();
  });
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
  const some = addresses.subarray(from, to);
  const named = await names.of(table, some);
  return named && Array.from(some, (_, at) => ({ ...named.page(at), score: scores[from + at] ?? 0 }));
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
    const hits = await hitsPassing(within.pass, within.limit, async (limit) => {
      const rows = table.query().fullTextSearch(query).where(scopeFilter(within)).select(["id", "_score"]);
      return hitsOf(await rows.limit(limit).toArrow(), "_score");
    });
    return ranked(hits, within.limit);
  };
  const first = await find(scope);
  if (best === undefined || best.datasetIds.length === 0) return first;
  return eachOnce([...first, ...(await find({ ...scope, ...best }))]);
}
