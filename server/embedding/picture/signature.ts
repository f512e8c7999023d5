import type { Raster } from "../pack.ts";
import { keypointsOf } from "./keypoints.ts";
import { describePatch, patchLength } from "./patches.ts";
import { blur, inkOf, type Plane } from "./plane.ts";
import { withoutRules } from "./rules.ts";
import { flattenSheet } from "./sheet.ts";

/** Of a signature; the vectors of the extractor `arrangement-2`. */
export const signatureDimensions = 640;

/** Planes are scaled to this geometric mean of their sides, so that a crop of area a shows things 1 / √a larger. */
const meanSide = 240;
/** Wide enough to melt letters into words, where a line of small print is four pixels high. */
const blurSigma = 1.4;
/** Longer than words, shorter than rules; of the longer side. */
const ruleLength = 0.1;
const mostKeypoints = 350;
/** Between samples of a patch: one reaches over three or four lines and as many words. */
const patchStep = 2.8;
/** Width of the Gaussian kernel between patches of length 1: closer is the same place, farther another one. */
const kernelWidth = 0.35;

/**
 * How large a query may show what is on the page, by planes on which it is about as large as on the page, and the exact
 * sizes tried there: crops down to 62 % of the page's area (80 % of each side), and shots that show a little around it.
 */
const cropSizes = [
  { plane: 1.2, sizes: [1.26, 1.17] },
  { plane: 1, sizes: [1.08, 1, 0.93] },
];
/** A page found in a photo is whole, give or take what the corners were missed by. */
const sheetSizes = [{ plane: 1, sizes: [1.05, 1, 0.95] }];

/**
 * The signature of a page's picture by the arrangement of what is on it, which survives scaling, shifting, slight turns
 * and recompression, and crops as far as a query tries its size. Undefined for a page with nothing on it.
 *
 * A signature sums random Fourier features (Rahimi and Recht, "Random Features for Large-Scale Kernel Machines", 2007)
 * of the patches around keypoints, so that the cosine of two signatures counts their matching patches: an efficient
 * match kernel (Bo and Sminchisescu, 2009). Patches that a page repeats are weighed down as in Jégou and Zisserman,
 * "Triangulation embedding and democratic aggregation for image search" (2014), and a signed square root evens out
 * what is left of that (Jégou et al., "Aggregating local image descriptors into compact codes", 2012).
 */
export function pageSignature(picture: Raster): Float32Array | undefined {
  const [signature] = signaturesAt(picture, [{ plane: 1, sizes: [1] }]);
  return signature;
}

/**
 * Signatures of a query picture for each size at which it may show its page; if it is a photo in which the page can be
 * told from what is around it, also for the page alone, flattened. The page is the one that comes closest to any of
 * them. Empty if there is nothing on the picture.
 */
export function querySignatures(picture: Raster): Float32Array[] {
  const sheet = flattenSheet(picture);
  return [...signaturesAt(picture, cropSizes), ...(sheet === undefined ? [] : signaturesAt(sheet, sheetSizes))];
}

function signaturesAt(picture: Raster, tried: typeof cropSizes): Float32Array[] {
  return tried.flatMap(({ plane, sizes }) => {
    const prepared = prepare(picture, 1 / plane);
    const keypoints = keypointsOf(prepared, mostKeypoints);
    return sizes.flatMap((size) => {
      const step = (patchStep * size) / plane;
      const patches = keypoints
        .map((keypoint) => describePatch(prepared, keypoint, step))
        .filter((patch) => patch !== undefined);
      return sign(patches) ?? [];
    });
  });
}

function prepare(picture: Raster, magnification: number): Plane {
  const scale = (magnification * meanSide) / Math.sqrt(picture.width * picture.height);
  const plane = inkOf(picture, scaled(picture.width, scale), scaled(picture.height, scale));
  return blur(withoutRules(plane, Math.round(ruleLength * Math.max(plane.width, plane.height))), blurSigma);
}

/** A picture that is all length and no width keeps enough of it to be looked at, and stays small. */
const scaled = (size: number, scale: number): number => Math.min(4 * meanSide, Math.max(16, Math.round(size * scale)));

function sign(patches: readonly Float32Array[]): Float32Array | undefined {
  const features = patches.map(fourierFeatures);
  const sum = weightedSum(features, () => 1);
  const even = weightedSum(features, (feature) => 1 / Math.max(1, (dot(feature, sum) * 2) / signatureDimensions));
  const rooted = even.map((value) => Math.sign(value) * Math.sqrt(Math.abs(value)));
  const norm = Math.hypot(...rooted);
  return norm > 0 ? rooted.map((value) => value / norm) : undefined;
}

function weightedSum(features: readonly Float32Array[], weigh: (feature: Float32Array) => number): Float32Array {
  const sum = new Float32Array(signatureDimensions);
  for (const feature of features) {
    const weight = weigh(feature);
    for (let at = 0; at < sum.length; at += 1) sum[at] = (sum[at] ?? 0) + weight * (feature[at] ?? 0);
  }
  return sum;
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < a.length; at += 1) sum += (a[at] ?? 0) * (b[at] ?? 0);
  return sum;
}

/** A table, because cosines would be most of the work; a turn in so many steps is finer than the noise. */
const turn = 1024;
const cosines = Float32Array.from({ length: turn }, (_, at) => Math.cos((2 * Math.PI * at) / turn));
/** Two numbers each. */
const waves = signatureDimensions / 2;
const directions = randomDirections();

/**
 * Cosine and sine of each wave. All waves at once for each coefficient: inner loops over what lies side by side are most
 * of the speed.
 */
function fourierFeatures(patch: Float32Array): Float32Array {
  const angles = new Float32Array(waves);
  for (let k = 0; k < patchLength; k += 1) {
    const value = patch[k] ?? 0;
    const from = k * waves;
    for (let at = 0; at < waves; at += 1) angles[at] = (angles[at] ?? 0) + value * (directions[from + at] ?? 0);
  }
  const features = new Float32Array(signatureDimensions);
  for (let at = 0; at < waves; at += 1) {
    const angle = angles[at] ?? 0;
    features[at] = cosines[angle & (turn - 1)] ?? 0;
    features[waves + at] = cosines[(angle - turn / 4) & (turn - 1)] ?? 0;
  }
  return features;
}

/** Normal, in steps of a turn. The seed is part of the format: other numbers, other vectors. */
function randomDirections(): Float32Array {
  const random = mulberry32(7);
  const normal = (): number => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const perTurn = turn / (2 * Math.PI);
  return Float32Array.from({ length: waves * patchLength }, () => (normal() / kernelWidth) * perTurn);
}

/** Tommy Ettinger's 32-bit generator, public domain; uniform in 0 up to 1. */
function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
