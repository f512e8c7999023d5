import { xorshift } from "../../xorshift.ts";

export interface Random {
  /** Returns a uniformly distributed number. */
  between(min: number, max: number): number;
  /** Returns `count` of the elements, each at most once. */
  some<Element>(elements: readonly Element[], count: number): Element[];
}

/** Creates random numbers that are the same in every run. */
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
