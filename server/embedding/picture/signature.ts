import type { Raster } from "../pack.ts";
import { keypointsOf } from "./keypoints.ts";
import { describePatch, patchLength } from "./patches.ts";
import { blur, inkOf, type Plane, resize } from "./plane.ts";
import { withoutRules } from "./rules.ts";

/** Of a signature; the page vectors of the extractor `arrangement-1`. */
export const signatureDimensions = 256;

/** Planes are scaled to this geometric mean of their sides, so that a crop of area a shows things 1 / √a larger. */
const meanSide = 300;
/** Wide enough to melt letters into words, where a line of small print is five pixels high. */
const blurSigma = 1.8;
/** Longer than words, shorter than rules; of the longer side. */
const ruleLength = 0.1;
const mostKeypoints = 400;
/** Between samples of a patch: one reaches over three or four lines and as many words. */
const patchStep = 3.5;
/** Width of the Gaussian kernel between patches of length 1: closer is the same place, farther another one. */
const kernelWidth = 0.35;
/** How much larger the query may show what is on the page: crops down to 70 % of it, within 3.5 % each. */
const magnifications = [1.03, 1.1, 1.17];
const middle = 1.1;

/**
 * Signatures of a page's picture by the arrangement of what is on it, which survive cropping, scaling, shifting and
 * recompression: one for each magnification at which a query may show the page. None for a page with nothing on it.
 *
 * A signature sums random Fourier features (Rahimi and Recht, "Random Features for Large-Scale Kernel Machines", 2007)
 * of the patches around keypoints, so that the cosine of two signatures counts their matching patches: an efficient
 * match kernel (Bo and Sminchisescu, 2009). Patches that a page repeats are weighed down as in Jégou and Zisserman,
 * "Triangulation embedding and democratic aggregation for image search" (2014), and a signed square root evens out
 * what is left of that (Jégou et al., "Aggregating local image descriptors into compact codes", 2012).
 */
export function pageSignatures(picture: Raster): Float32Array[] {
  const plane = prepare(picture, middle);
  return magnifications.flatMap((magnification) => sign(plane, (patchStep * middle) / magnification) ?? []);
}

/** The one signature of a query picture; undefined if there is nothing on it. */
export function querySignature(picture: Raster): Float32Array | undefined {
  return sign(prepare(picture, 1), patchStep);
}

function prepare(picture: Raster, magnification: number): Plane {
  const scale = (magnification * meanSide) / Math.sqrt(picture.width * picture.height);
  const plane = resize(inkOf(picture), scaled(picture.width, scale), scaled(picture.height, scale));
  return blur(withoutRules(plane, Math.round(ruleLength * Math.max(plane.width, plane.height))), blurSigma);
}

/** A picture that is all length and no width keeps enough of it to be looked at, and stays small. */
const scaled = (size: number, scale: number): number => Math.min(4 * meanSide, Math.max(16, Math.round(size * scale)));

function sign(plane: Plane, step: number): Float32Array | undefined {
  const features = keypointsOf(plane, mostKeypoints).flatMap((keypoint) => {
    const patch = describePatch(plane, keypoint, step);
    return patch === undefined ? [] : [fourierFeatures(patch)];
  });
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
const { directions, phases } = randomWaves();

function fourierFeatures(patch: Float32Array): Float32Array {
  const features = new Float32Array(signatureDimensions);
  let at = 0;
  for (let index = 0; index < signatureDimensions; index += 1) {
    let angle = phases[index] ?? 0;
    for (let k = 0; k < patchLength; k += 1) angle += (directions[at + k] ?? 0) * (patch[k] ?? 0);
    at += patchLength;
    features[index] = cosines[angle & (turn - 1)] ?? 0;
  }
  return features;
}

/** Normal directions and uniform phases, in steps of a turn. The seed is part of the format: other numbers, other vectors. */
function randomWaves(): { directions: Float32Array; phases: Float32Array } {
  const random = mulberry32(7);
  const normal = (): number => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const perTurn = turn / (2 * Math.PI);
  return {
    directions: Float32Array.from(
      { length: signatureDimensions * patchLength },
      () => (normal() / kernelWidth) * perTurn,
    ),
    phases: Float32Array.from({ length: signatureDimensions }, () => random() * turn),
  };
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
