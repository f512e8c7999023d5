/** Recall and precision of the words read from a page. */
export interface WordRates {
  readonly recall: number;
  readonly precision: number;
}

/** Compares words as in an index: lower-case letters and digits, with their number of occurrences. */
export function wordRates(truth: string, read: string): WordRates {
  const wanted = counted(truth);
  const found = counted(read);
  let both = 0;
  for (const [word, count] of wanted) both += Math.min(count, found.get(word) ?? 0);
  return { recall: both / Math.max(1, total(wanted)), precision: both / Math.max(1, total(found)) };
}

function counted(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const [word] of text.toLowerCase().matchAll(/[\p{L}\p{N}]+/gu)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

function total(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? (sorted[middle] ?? 0) : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}
