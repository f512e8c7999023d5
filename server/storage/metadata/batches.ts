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
