/** Creates numbers from 0 to below 1 by xorshift32 (Marsaglia, 2003), the same in every run. */
export function xorshift(seed: number): () => number {
  let state = Math.imul(seed, 2_654_435_761) | 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}
