/** Works on the values, several at a time; rejects with the first failure, once the running ones have ended. */
export async function mapConcurrent<Value>(
  values: AsyncIterable<Value>,
  lanes: number,
  work: (value: Value) => Promise<void>,
): Promise<void> {
  const iterator = values[Symbol.asyncIterator]();
  let failed = false;
  // A generator answers one request at a time, in their order.
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
