import type { Raster } from "../raster.ts";
import { inkOf } from "../picture/plane.ts";
import { blockFeatureCount, blockFeatures } from "./blocks.ts";
import { lineFeatureCount, lineFeatures } from "./lines.ts";
import { type Component, componentsOf, type Mask } from "../mask/components.ts";

/** As a share of the geometric mean of the page's sides: larger than a line of print with its neighbours' descenders. */
const large = 0.06;
const print = 0.035;

const componentFeatureCount = 14;

/** Returns features of the pieces that remain once ruled lines are removed: print, bars, outlines, curves. */
function componentFeatures(mask: Mask): number[] {
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

/** Returns the largest number of pieces that are aligned on one edge. */
function aligned(pieces: readonly Component[], edge: (piece: Component) => number): number {
  const edges = pieces.map(edge);
  return Math.max(0, ...edges.map((one) => edges.filter((other) => Math.abs(other - one) <= 1).length));
}

const textFeatureCount = 8;

/**
 * Maximum characters of a page's words to examine: the first are enough to recognise a table, and hostile pages have millions.
 */
const maxLength = 20_000;

/** Returns features of the page's words that hint at its type; all 0 for a page without words, such as a scan. */
function textFeatures(words: string): number[] {
  const text = words.slice(0, maxLength);
  const tokens = text.split(/\s+/u).filter((token) => token !== "");
  const share = (pattern: RegExp): number =>
    tokens.length === 0 ? 0 : tokens.filter((token) => pattern.test(token)).length / tokens.length;
  return [
    tokens.length === 0 ? 0 : 1,
    Math.log1p(tokens.length) / 8,
    share(/^[-+(±$€£]?\d[\d.,:%)]*$/u),
    share(/^\p{L}/u),
    share(/:$/u),
    /\b(tab(le|elle)?|tableau|tabla|tabella)\.? ?\d{1,3}(\.\d{1,2})?[.:]/iu.test(text) ? 1 : 0,
    /\b(fig(ure|ura)?|abb(ildung)?)\.? ?\d{1,3}(\.\d{1,2})?[.:]/iu.test(text) ? 1 : 0,
    Math.min(1, share(/_{3,}|\.{5,}|[☐□]/u) * 10),
  ];
}

/** Pages are scaled to this geometric mean of their sides, at which rules are still a pixel wide and letters blur together. */
const meanSide = 300;
/** Longest side of the scaled page, which bounds very long and narrow pictures. */
const maxSide = 1200;

export const featureCount = blockFeatureCount + lineFeatureCount + componentFeatureCount + textFeatureCount;

/** Returns numbers that distinguish page types, mostly from 0 to 1 and always finite. Computing them takes some milliseconds. */
export function featuresOf({ picture, words }: { picture: Raster; words: string }): Float32Array {
  const scale = meanSide / Math.sqrt(picture.width * picture.height);
  const scaled = (size: number): number => Math.min(maxSide, Math.max(16, Math.round(size * scale)));
  const ink = inkOf(picture, scaled(picture.width), scaled(picture.height));
  const { features: ofLines, bare } = lineFeatures(ink);
  return Float32Array.from([...blockFeatures(ink), ...ofLines, ...componentFeatures(bare), ...textFeatures(words)]);
}
