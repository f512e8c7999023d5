/** So many lines of an axis are enough to read it. */
const wanted = 4;

/** Round values from 0 to at least `max`, in steps of 1, 2 or 5 times a power of ten; whole ones. */
export function ticksTo(max: number): readonly number[] {
  const rough = Math.max(max, 1) / wanted;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max([1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough) ?? 1, 1);
  const count = Math.max(Math.ceil(max / step), 1);
  return Array.from({ length: count + 1 }, (_, index) => index * step);
}

/** Which of `count` labels are shown where each needs `labelWidth` of `width`: always the last one. */
export function shownLabels(count: number, width: number, labelWidth: number): (index: number) => boolean {
  const every = Math.max(Math.ceil((count * labelWidth) / Math.max(width, 1)), 1);
  return (index) => (count - 1 - index) % every === 0;
}
