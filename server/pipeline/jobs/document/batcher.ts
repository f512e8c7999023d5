/**
 * Collects results and writes them in groups: a group is written when it is full or its first result has waited long enough.
 * Writes never overlap; after the first failure nothing more is written.
 */
interface Batcher<Result> {
  add(result: Result): Promise<void>;
  /** Writes the remaining results. */
  flush(): Promise<void>;
  /** Resolves when no write is running, whether or not the last one succeeded. */
  idle(): Promise<void>;
}

interface Limits {
  readonly count: number;
  readonly ms: number;
}

export function createBatcher<Result>(
  { count, ms }: Limits,
  write: (results: readonly Result[]) => Promise<void>,
): Batcher<Result> {
  let waiting: Result[] = [];
  let since = 0;
  let last: Promise<void> = Promise.resolve();

  function flush(): Promise<void> {
    last = last.then(async () => {
      const results = waiting;
      waiting = [];
      if (results.length > 0) await write(results);
    });
    return last;
  }

  return {
    flush,
    idle: () => last.catch(() => undefined),
    async add(result) {
      if (waiting.length === 0) since = performance.now();
      waiting.push(result);
      if (waiting.length >= count || performance.now() - since >= ms) await flush();
    },
  };
}
