import { xorshift } from "../../xorshift.ts";

export interface Random {
  /** Uniform. */
  between(min: number, max: number): number;
  /** Some of the elements, each at most once. */
  some<Element>(elements: readonly Element[], count: number): Element[];
}

/** The same queries at every run. */
export function createRandom(seed: number): Random {
  const next = xorshift(seed);
  return {
    between: (min, max) => min + (max - min) * next(),
    some(elements, count) {
      const order = elements.map((element) => ({ element, at: next() })).toSorted((a, b) => a.at - b.at);
      return order.slice(0, count).map(({ element }) => element);
    },
  };
}
