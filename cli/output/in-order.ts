/**
 * Prints what ends in any order in the order in which it began: each as soon as all before it have been printed. Indexes
 * are from 0, without gaps, each once.
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
