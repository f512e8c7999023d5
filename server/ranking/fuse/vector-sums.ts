/*
 * Sums of products of vectors. They have 64 bits, since the difference between pages may be a small difference of large numbers.
 * Each loop uses several sums, since an addition waits for the one before. A loop over arrays of both types would be compiled to
 * code that allocates an object per number, so there is a function for each type. Values past the end of an array count as zero.
 */

/** Adds `times` times the vector. */
export function addVector(sum: Float64Array, vector: Float32Array, times: number): void {
  for (let at = 0; at < sum.length; at += 4) {
    sum[at] = (sum[at] ?? 0) + times * (vector[at] ?? 0);
    sum[at + 1] = (sum[at + 1] ?? 0) + times * (vector[at + 1] ?? 0);
    sum[at + 2] = (sum[at + 2] ?? 0) + times * (vector[at + 2] ?? 0);
    sum[at + 3] = (sum[at + 3] ?? 0) + times * (vector[at + 3] ?? 0);
  }
}

/** Adds `times` times another sum. */
export function addSum(sum: Float64Array, other: Float64Array, times: number): void {
  for (let at = 0; at < sum.length; at++) sum[at] = (sum[at] ?? 0) + times * (other[at] ?? 0);
}

export function lengthOfVector(vector: Float32Array): number {
  let [first, second, third, fourth] = [0, 0, 0, 0];
  for (let at = 0; at < vector.length; at += 4) {
    first += (vector[at] ?? 0) * (vector[at] ?? 0);
    second += (vector[at + 1] ?? 0) * (vector[at + 1] ?? 0);
    third += (vector[at + 2] ?? 0) * (vector[at + 2] ?? 0);
    fourth += (vector[at + 3] ?? 0) * (vector[at + 3] ?? 0);
  }
  return Math.sqrt(first + second + (third + fourth));
}

/** The products of a vector with two sums, for which its numbers are read and converted only once. */
export function products(
  vector: Float32Array,
  one: Float64Array,
  other: Float64Array,
): readonly [withOne: number, withOther: number] {
  let [evenOne, oddOne, evenOther, oddOther] = [0, 0, 0, 0];
  for (let at = 0; at < vector.length; at += 2) {
    const even = vector[at] ?? 0;
    const odd = vector[at + 1] ?? 0;
    evenOne += even * (one[at] ?? 0);
    oddOne += odd * (one[at + 1] ?? 0);
    evenOther += even * (other[at] ?? 0);
    oddOther += odd * (other[at + 1] ?? 0);
  }
  return [evenOne + oddOne, evenOther + oddOther];
}

export function productOfSums(one: Float64Array, other: Float64Array): number {
  let sum = 0;
  for (let at = 0; at < one.length; at++) sum += (one[at] ?? 0) * (other[at] ?? 0);
  return sum;
}

export const lengthOfSum = (sum: Float64Array): number => Math.sqrt(productOfSums(sum, sum));
