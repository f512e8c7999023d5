/** An address of a row: the number of its fragment in the upper half, and the row there in the lower. */
export const addressOf = (fragment: number, row: number): bigint => (BigInt(fragment) << 32n) | BigInt(row);

export const fragmentOf = (address: bigint): number => Number(address >> 32n);
export const rowOf = (address: bigint): number => Number(address & 0xffff_ffffn);

/** How many of the numbers, which ascend, are below the bound. */
export function countBelow(numbers: Uint32Array, bound: number): number {
  let [from, to] = [0, numbers.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((numbers[middle] ?? 0) < bound) from = middle + 1;
    else to = middle;
  }
  return from;
}
