/** Returns a percentile by nearest rank, so that it is a measured figure. `rank` is between 0 and 1. Throws on an empty list. */
export function percentile(values: readonly number[], rank: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  const value = sorted[Math.max(0, Math.ceil(rank * sorted.length) - 1)];
  if (value === undefined) throw new RangeError("there are no values to take a percentile of");
  return value;
}

/** Returns the median; of an even count the mean of the two in the middle. Throws on an empty list. */
export function median(values: readonly number[]): number {
  const negated = values.map((value) => -value);
  return (percentile(values, 0.5) - percentile(negated, 0.5)) / 2;
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
