/**
 * Returns the weight of each token: a token that occurs n times weighs 1 + ln n in total, the usual damping of term
 * frequency, in equal shares.
 */
export function weightsOf(tokens: readonly number[]): Float32Array {
  const counts = new Map<number, number>();
  for (const id of tokens) counts.set(id, (counts.get(id) ?? 0) + 1);
  return Float32Array.from(tokens, (id) => {
    const count = counts.get(id) ?? 1;
    return (1 + Math.log(count)) / count;
  });
}
