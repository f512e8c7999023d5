/** Rows per transaction: a few milliseconds, so that the other process's writes never wait long. */
export const rowsPerTransaction = 500;

/** The rows in pieces of at most `size`; none for no rows. */
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
 * In the order of their keys. Transactions that write several rows of a kind write them in this order, so that none waits
 * for another that waits for it.
 */
export const byKey = <Row>(rows: Iterable<Row>, keyOf: (row: Row) => string): Row[] =>
  [...rows].toSorted((one, other) => Number(keyOf(one) > keyOf(other)) - Number(keyOf(one) < keyOf(other)));
