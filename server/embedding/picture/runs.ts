/**
 * Calls `use` for each run of ink (values above 0) of at least `minLength` on a line of `length` values, which lie `step`
 * apart from `first` on; with the run's first index and the one after its last. No such run can hide between values that
 * are `minLength` apart, so only a few values of a line of print are read.
 */
export function longRuns(
  data: Float32Array | Uint8Array,
  first: number,
  step: number,
  length: number,
  minLength: number,
  use: (from: number, to: number) => void,
): void {
  const isInk = (place: number): boolean => (data[first + place * step] ?? 0) > 0;
  for (let probe = minLength - 1; probe < length; probe += minLength) {
    if (!isInk(probe)) continue;
    let from = probe;
    while (from > 0 && isInk(from - 1)) from -= 1;
    let to = probe + 1;
    while (to < length && isInk(to)) to += 1;
    if (to - from >= minLength) use(from, to);
    probe = to;
  }
}
