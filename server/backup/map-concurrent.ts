/**
 * Calls `work` for each value, at most `lanes` at a time. After a failure, rejects once the running calls have ended.
 */
export async function mapConcurrent<Value>(
  values: AsyncIterable<Value>,
  lanes: number,
  work: (value: Value) => Promise<void>,
): Promise<void> {
  const iterator = values[Symbol.asyncIterator]();
  let failed = false;
  // A generator answers one `next` call at a time, in order.
  const lane = async (): Promise<void> => {
    for (;;) {
      const next = await iterator.next();
      if (failed || next.done === true) return;
      try {
        await work(next.value);
      } catch (cause) {
        failed = true;
        throw cause;
      }
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: lanes }, lane));
  await iterator.return?.();
  for (const each of ended) if (each.status === "rejected") throw each.reason;
}
