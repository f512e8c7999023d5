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
 * The requested part of a list. `total` is the length when the list was counted; it may have grown since.
 */
export interface Slice {
  readonly total: number;
  readonly offset: number;
  readonly limit: number;
}

/** A query whose rows an index has in the order of the keys: an id, and the columns of the keys. */
export type Range<Table extends keyof Schema, Id> = Rows<Table, { id: Id }>;

type Rows<Table extends keyof Schema, Row> = SelectQueryBuilder<Schema, Table, Row>;

/**
 * The ids of a slice of a list that consists of ranges, each already in the order of the keys. The database merges the
 * ranges and reads no more rows than necessary. The second half of the list is read from its end.
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

/** As `sliceOf`, but returns rows with all columns of the ranges. */
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
    // Not bounded by `total`: if entries have been added at the front since, the last ones would be missing.
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
    // Only for nullable columns: an index cannot give an order with "nulls last".
    const nulls = isNullable ? (fromEnd ? " nulls first" : " nulls last") : "";
    return sql`${sql.ref(column)} ${sql.raw(direction + nulls)}`;
  });
  return sql.join(terms);
}

interface Place {
  readonly skipped: number;
  readonly taken: number;
}

/** SQLite notices by itself that the parts of a union are in order, and merges them. */
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

/** Splits off the rows with nulls, because in one of the two directions an index has them at the other end. */
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
 * PostgreSQL merges parts if each states its order, and would sort all of their rows otherwise. The limits show it that
 * only few rows are needed.
 */
const wantsSorted = (db: Kysely<Schema>): boolean => db.getExecutor().adapter instanceof PostgresAdapter;

/** A union of the parts, which the caller sorts; at most `limit` rows of each part are needed. */
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

/** The rows in the order of the ids; ids whose row is gone are left out. */
export function inOrder<Row>(ids: readonly string[], rows: readonly Row[], idOf: (row: Row) => string): Row[] {
  const byId = new Map(rows.map((row) => [idOf(row), row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}
