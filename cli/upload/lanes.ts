/**
 * Runs the work for every entry, at most `limit` at a time; an entry is taken only when there is a free lane. After the
 * first failure no more work is begun; it rejects when all running work has ended.
 */
export async function forEachConcurrent<Entry>(
  entries: AsyncIterable<Entry>,
  limit: number,
  work: (entry: Entry) => Promise<void>,
): Promise<void> {
  const queue = entries[Symbol.asyncIterator]();
  let failure: { readonly cause: unknown } | undefined;
  const lane = async (): Promise<void> => {
    try {
      for (;;) {
        const next = await queue.next();
        if (next.done === true || failure !== undefined) return;
        await work(next.value);
      }
    } catch (cause) {
      failure ??= { cause };
    }
  };
  await Promise.all(Array.from({ length: limit }, lane));
  await queue.return?.();
  if (failure !== undefined) throw failure.cause;
}

/** Limits how many functions run at once; the others wait in the order in which they came. */
export type Gate = <Result>(work: () => Promise<Result>) => Promise<Result>;

export function createGate(limit: number): Gate {
  let free = limit;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      // The slot is handed to the next one without becoming free in between.
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    }
  };
}
