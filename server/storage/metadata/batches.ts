/** Rows per transaction: it takes a few milliseconds, so writes of other processes never wait long. */
export const rowsPerTransaction = 500;

/** Yields the rows in batches of at most `size`; no batch if there are no rows. */
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
 * Sorts rows by their keys. Transactions that write several rows of a kind write them in this order, which prevents
 * deadlocks.
 */
export const byKey = <Row>(rows: Iterable<Row>, keyOf: (row: Row) => string): Row[] =>
  [...rows].toSorted((one, other) => Number(keyOf(one) > keyOf(other)) - Number(keyOf(one) < keyOf(other)));
