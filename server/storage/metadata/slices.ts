import { type SelectQueryBuilder, sql } from "kysely";
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
export type Range<Table extends keyof Schema, Id> = SelectQueryBuilder<Schema, Table, { id: Id }>;

/**
 * The ids at some places of a list that is put together of ranges, each in the order of the keys already: the database
 * merges them and reads no further than it must. The second half of the list is read from its end.
 */
export async function sliceOf<Table extends keyof Schema, Id>(
  ranges: readonly Range<Table, Id>[],
  keys: readonly SliceKey[],
  { total, offset, limit }: Slice,
): Promise<readonly Id[]> {
  const [first, ...others] = ranges;
  const last = Math.min(offset + limit, total);
  if (first === undefined || offset >= last) return [];
  const fromEnd = offset > total - last;
  let query = others.reduce((merged, range) => merged.unionAll(range), first);
  for (const { column, descending, isNullable = false } of keys) {
    query = query.orderBy(sql.ref(column), (order) => {
      const directed = descending === fromEnd ? order.asc() : order.desc();
      // Only where there are nulls: an index that could give the order knows nothing of "nulls last".
      if (!isNullable) return directed;
      return fromEnd ? directed.nullsFirst() : directed.nullsLast();
    });
  }
  const rows = await query
    .offset(fromEnd ? total - last : offset)
    // Not up to the old end: behind what has come to the front meanwhile, the last entries would be missing.
    .limit(fromEnd ? last - offset : limit)
    .execute();
  const ids = rows.map(({ id }) => id);
  return fromEnd ? ids.toReversed() : ids;
}

/** The rows in the order of the ids; those that have gone meanwhile are left out. */
export function inOrder<Row>(ids: readonly string[], rows: readonly Row[], idOf: (row: Row) => string): Row[] {
  const byId = new Map(rows.map((row) => [idOf(row), row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}
