/**
 * Creates sets of the numbers 0 to count - 1, each number in a set of its own. This is the forest of Galler and Fischer
 * (CACM 7, 1964): each number points to another one of its set, or to itself as the set's root, which is its smallest number.
 */
export function disjointSets(count: number): Int32Array {
  return Int32Array.from({ length: count }, (_, element) => element);
}

/** Returns the root of the element's set, and halves the path to it so that the next search is short. */
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

/** Merges the sets of both elements. */
export function join(sets: Int32Array, one: number, other: number): void {
  const first = rootOf(sets, one);
  const second = rootOf(sets, other);
  if (first !== second) sets[Math.max(first, second)] = Math.min(first, second);
}
