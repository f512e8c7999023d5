/**
 * Sets of the numbers 0 to count - 1, each number in a set of its own. The forest of Galler and Fischer (CACM 7, 1964): each
 * number points to another one of its set, or to itself as the set's root, which is its smallest number.
 */
export function disjointSets(count: number): Int32Array {
  return Int32Array.from({ length: count }, (_, element) => element);
}

/** The root of the element's set; halves the way to it, so that the next one is short. */
export function rootOf(sets: Int32Array, element: number): number {
  let at = element;
  for (;;) {
    const up = sets[at] ?? at;
    if (up === at) return at;
    const further = sets[up] ?? up;
    sets[at] = further;
    at = further;
  }
}

/** Makes the sets of both one. */
export function join(sets: Int32Array, one: number, other: number): void {
  const first = rootOf(sets, one);
  const second = rootOf(sets, other);
  if (first !== second) sets[Math.max(first, second)] = Math.min(first, second);
}
