const bars = "▁▂▃▄▅▆▇█";

/** Draws one character per value, as high as its share of the largest value; `·` for a missing one. */
export function sparkline(values: readonly (number | undefined)[]): string {
  const most = Math.max(0, ...values.map((value) => value ?? 0));
  const height = (value: number): number => (most === 0 ? 0 : Math.round((value / most) * (bars.length - 1)));
  return values.map((value) => (value === undefined ? "·" : bars[height(value)])).join("");
}
