/**
 * Runs the work for every entry, at most `limit` at a time. Resolves with the results in the order of the entries; the
 * first failure rejects.
 */
export async function mapConcurrent<Entry, Result>(
  entries: readonly Entry[],
  limit: number,
  work: (entry: Entry, index: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  let failed = false;
  // All lanes share this iterator: each takes the next entry when it is free.
  const queue = entries.entries();
  const lane = async (): Promise<void> => {
    for (const [index, entry] of queue) {
      if (failed) return;
      try {
        results[index] = await work(entry, index);
      } catch (cause) {
        failed = true;
        throw cause;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, entries.length) }, lane));
  return results;
}
