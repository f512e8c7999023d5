export interface Random {
  /** Uniform. */
  between(least: number, most: number): number;
  /** Some of the elements, each at most once. */
  some<Element>(elements: readonly Element[], count: number): Element[];
}

/** xorshift32 (Marsaglia, 2003): the same queries at every run. */
export function createRandom(seed: number): Random {
  let state = Math.imul(seed, 2_654_435_761) | 1;
  const next = (): number => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
  return {
    between: (least, most) => least + (most - least) * next(),
    some(elements, count) {
      const order = elements.map((element) => ({ element, at: next() })).toSorted((a, b) => a.at - b.at);
      return order.slice(0, count).map(({ element }) => element);
    },
  };
}
