import type { Raster } from "../raster.ts";
import { inkOf } from "../picture/plane.ts";
import { blockFeatures, blockFeatureCount } from "./blocks.ts";
import { componentFeatures, componentFeatureCount } from "./components.ts";
import { lineFeatures, lineFeatureCount } from "./lines.ts";
import { textFeatures, textFeatureCount } from "./text.ts";

/** Pages are scaled to this geometric mean of their sides: rules are still a pixel wide, and letters blur together. */
const meanSide = 300;
/** Longest side of the scaled page, which bounds very long and narrow pictures. */
const maxSide = 1200;

export const featureCount = blockFeatureCount + lineFeatureCount + componentFeatureCount + textFeatureCount;

/** Numbers that tell page types apart, mostly from 0 to 1 and always finite; computing them takes some milliseconds. */
export function featuresOf({ picture, words }: { picture: Raster; words: string }): Float32Array {
  const scale = meanSide / Math.sqrt(picture.width * picture.height);
  const scaled = (size: number): number => Math.min(maxSide, Math.max(16, Math.round(size * scale)));
  const ink = inkOf(picture, scaled(picture.width), scaled(picture.height));
  const { features: ofLines, bare } = lineFeatures(ink);
  return Float32Array.from([...blockFeatures(ink), ...ofLines, ...componentFeatures(bare), ...textFeatures(words)]);
}
