import { type Kysely, PostgresAdapter, type RawBuilder, type SelectQueryBuilder, sql } from "kysely";
import type { Schema } from "./schema.ts";

export interface SliceKey {
  /** The name of the column in the ranges. */
  readonly column: string;
  readonly descending: boolean;
  /** Whether the column may be null; nulls come last. */
  readonly isNullable?: boolean;
}

/**
 * The requested part of a list. `total` is the length of the list when it was counted; the list may have grown since.
 */
export interface Slice {
  readonly total: number;
  readonly offset: number;
  readonly limit: number;
}

/** A query for ids and the columns of the keys; an index has its rows in the order of the keys. */
export type Range<Table extends keyof Schema, Id> = Rows<Table, { id: Id }>;

type Rows<Table extends keyof Schema, Row> = SelectQueryBuilder<Schema, Table, Row>;

/**
 * Returns the ids of a slice of a list that consists of ranges, each already in the order of the keys. The database
 * merges the ranges and reads no more rows than necessary. A slice in the second half of the list is read from the end.
 */
export async function sliceOf<Table extends keyof Schema, Id>(
  db: Kysely<Schema>,
  ranges: readonly Range<Table, Id>[],
  keys: readonly SliceKey[],
  slice: Slice,
): Promise<readonly Id[]> {
  const rows = await rowsOf(db, ranges, keys, slice);
  return rows.map(({ id }) => id);
}

/** Like `sliceOf`, but returns rows with all columns of the ranges. */
export async function rowsOf<Table extends keyof Schema, Row>(
  db: Kysely<Schema>,
  ranges: readonly Rows<Table, Row>[],
  keys: readonly SliceKey[],
  { total, offset, limit }: Slice,
): Promise<readonly Row[]> {
  const last = Math.min(offset + limit, total);
  if (ranges.length === 0 || offset >= last) return [];
  const fromEnd = offset > total - last;
  const order = orderOf(keys, fromEnd);
  const place = {
    skipped: fromEnd ? total - last : offset,
    // `limit` is not cut to `total`: if entries have been added at the front since, the last ones would be missing.
    taken: fromEnd ? last - offset : limit,
  };
  const parts = wantsSorted(db) ? splitNulls(ranges, keys) : ranges;
  const rows =
    parts.length > 1 && wantsSorted(db)
      ? await mergeSorted(db, parts, { all: order, part: orderOf(keys.map(withoutNulls), fromEnd) }, place)
      : await readUnion(parts, order, place);
  return fromEnd ? rows.toReversed() : rows;
}

function orderOf(keys: readonly SliceKey[], fromEnd: boolean): RawBuilder<unknown> {
  const terms = keys.map(({ column, descending, isNullable = false }) => {
    const direction = descending === fromEnd ? "asc" : "desc";
    // Only nullable columns get this, because an index cannot give an order with "nulls last".
    const nulls = isNullable ? (fromEnd ? " nulls first" : " nulls last") : "";
    return sql`${sql.ref(column)} ${sql.raw(direction + nulls)}`;
  });
  return sql.join(terms);
}

interface Place {
  readonly skipped: number;
  readonly taken: number;
}

/** Reads a union of ranges. SQLite notices by itself that the ranges are in order, and merges them. */
async function readUnion<Table extends keyof Schema, Row>(
  [first, ...others]: readonly Rows<Table, Row>[],
  order: RawBuilder<unknown>,
  { skipped, taken }: Place,
): Promise<readonly Row[]> {
  if (first === undefined) return [];
  const all = others.reduce((union, range) => union.unionAll(range), first);
  return all.orderBy(order).offset(skipped).limit(taken).execute();
}

async function mergeSorted<Table extends keyof Schema, Row>(
  db: Kysely<Schema>,
  ranges: readonly Rows<Table, Row>[],
  order: { readonly all: RawBuilder<unknown>; readonly part: RawBuilder<unknown> },
  { skipped, taken }: Place,
): Promise<readonly Row[]> {
  const parts = ranges.map((range) => sql`${range}`);
  const { rows } = await sql<Row>`${union(db, parts, order.part, skipped + taken)}
    order by ${order.all} limit ${taken} offset ${skipped}`.execute(db);
  return rows;
}

const withoutNulls = (key: SliceKey): SliceKey => ({ ...key, isNullable: false });

/** Separates the rows with nulls, because in one of the two directions an index has them at the other end. */
function splitNulls<Table extends keyof Schema, Row>(
  ranges: readonly Rows<Table, Row>[],
  [first]: readonly SliceKey[],
): readonly Rows<Table, Row>[] {
  if (first?.isNullable !== true) return ranges;
  const column = sql.ref(first.column);
  return ["is not null", "is null"].flatMap((condition) =>
    ranges.map((range) => range.where(sql<boolean>`${column} ${sql.raw(condition)}`)),
  );
}

/**
 * Whether each part of a union must state its order: only then does PostgreSQL merge the parts instead of sorting all
 * rows. Their limits show PostgreSQL that only few rows are needed.
 */
const wantsSorted = (db: Kysely<Schema>): boolean => db.getExecutor().adapter instanceof PostgresAdapter;

/** Returns a union of the parts, of which at most `limit` rows each are needed; the caller sorts the union. */
export function union(
  db: Kysely<Schema>,
  parts: readonly RawBuilder<unknown>[],
  order: RawBuilder<unknown>,
  limit: number,
): RawBuilder<unknown> {
  const isSorted = parts.length > 1 && wantsSorted(db);
  return sql.join(
    parts.map((part) => (isSorted ? sql`(${part} order by ${order} limit ${limit})` : part)),
    sql` union all `,
  );
}

/** Returns the rows in the order of the ids; ids without a row are left out. */
export function inOrder<Row>(ids: readonly string[], rows: readonly Row[], idOf: (row: Row) => string): Row[] {
  const byId = new Map(rows.map((row) => [idOf(row), row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}
