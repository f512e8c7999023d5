/**
 * Returns a function that runs prints in the order of their indexes, each as soon as all before it have run. Indexes
 * start at 0, without gaps or repetitions.
 */
export function createInOrder(): (index: number, print: () => void) => void {
  const waiting = new Map<number, () => void>();
  let next = 0;
  return (index, print) => {
    waiting.set(index, print);
    for (let first = waiting.get(next); first !== undefined; first = waiting.get(next)) {
      waiting.delete(next);
      next += 1;
      first();
    }
  };
}
