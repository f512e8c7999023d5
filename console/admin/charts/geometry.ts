/** The number of grid lines to aim for. */
const wanted = 4;

/** Returns whole, round values from 0 to at least `max`, in steps of 1, 2 or 5 times a power of ten. */
export function ticksTo(max: number): readonly number[] {
  const rough = Math.max(max, 1) / wanted;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max([1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough) ?? 1, 1);
  const count = Math.max(Math.ceil(max / step), 1);
  return Array.from({ length: count + 1 }, (_, index) => index * step);
}

/** Tells which of `count` labels to show if each needs `labelWidth` of `width`. The last one is always shown. */
export function shownLabels(count: number, width: number, labelWidth: number): (index: number) => boolean {
  const every = Math.max(Math.ceil((count * labelWidth) / Math.max(width, 1)), 1);
  return (index) => (count - 1 - index) % every === 0;
}

export type Spot = readonly [x: number, y: number];

/** Splits the points into pieces without gaps. No piece is empty. */
export function piecesOf(spots: readonly (Spot | undefined)[]): readonly (readonly Spot[])[] {
  const pieces: Spot[][] = [];
  let piece: Spot[] | undefined;
  for (const spot of spots) {
    if (spot === undefined) piece = undefined;
    else if (piece === undefined) pieces.push((piece = [spot]));
    else piece.push(spot);
  }
  return pieces;
}
