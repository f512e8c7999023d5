/** Rows per transaction. Such a transaction takes a few milliseconds, so other processes never wait long to write. */
export const rowsPerTransaction = 500;

/** Yields the rows in batches of at most `size`. */
export function* batches<Row>(rows: Iterable<Row>, size: number = rowsPerTransaction): Generator<Row[]> {
  let batch: Row[] = [];
  for (const row of rows) {
    batch.push(row);
    if (batch.length === size) {
      yield batch;
      batch = [];
    }
  }
  if (batch.length > 0) yield batch;
}

/**
 * Sorts rows by their keys. All transactions that write several rows of a table write them in this order, which
 * prevents deadlocks.
 */
export const byKey = <Row>(rows: Iterable<Row>, keyOf: (row: Row) => string): Row[] =>
  [...rows].toSorted((one, other) => Number(keyOf(one) > keyOf(other)) - Number(keyOf(one) < keyOf(other)));
