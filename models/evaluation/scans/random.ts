/** Random numbers that are the same in every run. */
export interface Random {
  /** Returns a number from 0 to 1. */
  next(): number;
  pick<Element>(elements: readonly [Element, ...Element[]] | readonly Element[]): Element;
  /** Returns a number that is normally distributed around 0 with deviation 1. */
  normal(): number;
}

/** xorshift32 (G. Marsaglia, Journal of Statistical Software 8, 2003). */
export function createRandom(seed: number): Random {
  let state = (seed * 2_654_435_761) >>> 0 || 1;
  const next = (): number => {
    state ^= state << 13;
    state >>>= 0;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state / 2 ** 32;
  };
  for (let round = 0; round < 8; round += 1) next();
  return {
    next,
    pick(elements) {
      const element = elements[Math.floor(next() * elements.length)];
      if (element === undefined) throw new RangeError("nothing to pick from");
      return element;
    },
    // Box and Muller's transform.
    normal: () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next()),
  };
}
