/** Distinct tokens of a text, and how much each weighs. */
export interface Bag {
  readonly ids: readonly number[];
  readonly weights: readonly number[];
}

/** Weighs a token that occurs n times 1 + ln n, the usual damping of term frequency. */
export function bagOf(tokens: readonly number[]): Bag {
  const counts = new Map<number, number>();
  for (const id of tokens) counts.set(id, (counts.get(id) ?? 0) + 1);
  return { ids: [...counts.keys()], weights: Array.from(counts.values(), (count) => 1 + Math.log(count)) };
}
