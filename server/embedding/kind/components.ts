import { type Component, componentsOf } from "../mask/components.ts";
import type { Mask } from "../mask/mask.ts";

/** Share of the page's geometric mean side: higher than a line of print with its neighbours' descenders. */
const large = 0.06;
const print = 0.035;

export const componentFeatureCount = 14;

/** Features of the pieces that remain without the rules: print, bars, outlines, curves. */
export function componentFeatures(mask: Mask): number[] {
  const side = Math.sqrt(mask.width * mask.height);
  const found = componentsOf(mask).filter(({ size }) => size >= 3);
  const ink = Math.max(
    1,
    found.reduce((sum, { size }) => sum + size, 0),
  );
  const big = found.filter(({ width, height }) => width > large * side && height > print * side);
  const share = (of: readonly Component[]): number => of.reduce((sum, { size }) => sum + size, 0) / ink;
  const box = ({ width, height }: Component): number => width * height;
  const [largest] = big.toSorted((a, b) => box(b) - box(a));
  const bars = found.filter(
    (piece) => isSolid(piece) && box(piece) > 0.0004 * side * side && box(piece) < 0.2 * side * side,
  );
  const outlines = found.filter((piece) => isOutline(piece, side));
  const curves = big.filter((piece) => piece.size < 0.2 * box(piece));
  return [
    Math.log1p(found.length) / 8,
    ink / (mask.width * mask.height),
    share(found.filter(({ height }) => height <= print * side)),
    share(big),
    Math.log1p(big.length) / 4,
    largest === undefined ? 0 : Math.sqrt(box(largest)) / side,
    largest === undefined ? 0 : largest.size / box(largest),
    Math.log1p(bars.length) / 4,
    Math.log1p(aligned(bars, ({ top, height }) => top + height)) / 4,
    Math.log1p(aligned(bars, ({ left }) => left)) / 4,
    Math.log1p(outlines.length) / 4,
    Math.log1p(curves.length) / 4,
    Math.sqrt(Math.max(0, ...curves.map(box))) / side,
    share(curves),
  ];
}

const isSolid = ({ width, height, size }: Component): boolean =>
  size > 0.85 * width * height && Math.min(width, height) >= 4;

const isOutline = ({ width, height, size, onFrame }: Component, side: number): boolean =>
  width > 0.03 * side && height > 0.015 * side && size < 0.7 * width * height && onFrame > 0.75 * size;

/** The largest number of pieces that are aligned on one edge. */
function aligned(pieces: readonly Component[], edge: (piece: Component) => number): number {
  const edges = pieces.map(edge);
  return Math.max(0, ...edges.map((one) => edges.filter((other) => Math.abs(other - one) <= 1).length));
}
