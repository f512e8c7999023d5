import { type Kysely, PostgresAdapter, type RawBuilder, type SelectQueryBuilder, sql } from "kysely";
import type { Schema } from "./schema.ts";

export interface SliceKey {
  /** As the ranges name it. */
  readonly column: string;
  readonly descending: boolean;
  /** Null may be among its values; it comes last. */
  readonly isNullable?: boolean;
}

/** What of a list is wanted; `total` is the length that the list had a moment ago, to which others add meanwhile. */
export interface Slice {
  readonly total: number;
  readonly offset: number;
  readonly limit: number;
}

/** Rows that an index has in the order of the keys: an id, and the columns of the keys. */
export type Range<Table extends keyof Schema, Id> = Rows<Table, { id: Id }>;

type Rows<Table extends keyof Schema, Row> = SelectQueryBuilder<Schema, Table, Row>;

/**
 * The ids at some places of a list that is put together of ranges, each in the order of the keys already: the database
 * merges them and reads no further than it must. The second half of the list is read from its end.
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

/** The same as rows, with all columns of the ranges. */
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
    // Not up to the old end: behind what has come to the front meanwhile, the last entries would be missing.
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
    // Only where there are nulls: an index that could give the order knows nothing of "nulls last".
    const nulls = isNullable ? (fromEnd ? " nulls first" : " nulls last") : "";
    return sql`${sql.ref(column)} ${sql.raw(direction + nulls)}`;
  });
  return sql.join(terms);
}

interface Place {
  readonly skipped: number;
  readonly taken: number;
}

/** SQLite finds out by itself that the parts of a union are in order, and merges them. */
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

/** The rows with nulls apart: an index has them at the other end in one of the two directions. */
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
 * PostgreSQL merges parts of which each says that it is in order, and would sort all of their rows otherwise; it learns from
 * their limits that few of them will be wanted.
 */
const wantsSorted = (db: Kysely<Schema>): boolean => db.getExecutor().adapter instanceof PostgresAdapter;

/** All rows of the parts, to be put in the order; `limit`: no more rows of each are wanted. */
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

/** The rows in the order of the ids; those that have gone meanwhile are left out. */
export function inOrder<Row>(ids: readonly string[], rows: readonly Row[], idOf: (row: Row) => string): Row[] {
  const byId = new Map(rows.map((row) => [idOf(row), row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}
