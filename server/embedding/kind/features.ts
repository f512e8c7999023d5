import type { Raster } from "../raster.ts";
import { inkOf } from "../picture/plane.ts";
import { blockFeatures, blockFeatureCount } from "./blocks.ts";
import { componentFeatures, componentFeatureCount } from "./components.ts";
import { lineFeatures, lineFeatureCount } from "./lines.ts";
import { textFeatures, textFeatureCount } from "./text.ts";

/** Geometric mean of the sides on which pages are looked at: rules are still a pixel wide, letters melt. */
const meanSide = 300;
/** A picture that is all length and no width is looked at no longer than this. */
const maxSide = 1200;

export const featureCount = blockFeatureCount + lineFeatureCount + componentFeatureCount + textFeatureCount;

/** Numbers about a page that tell kinds apart, mostly from 0 to 1; some milliseconds. Always finite. */
export function featuresOf({ picture, words }: { picture: Raster; words: string }): Float32Array {
  const scale = meanSide / Math.sqrt(picture.width * picture.height);
  const scaled = (size: number): number => Math.min(maxSide, Math.max(16, Math.round(size * scale)));
  const ink = inkOf(picture, scaled(picture.width), scaled(picture.height));
  const { features: ofLines, bare } = lineFeatures(ink);
  return Float32Array.from([...blockFeatures(ink), ...ofLines, ...componentFeatures(bare), ...textFeatures(words)]);
}
