import { patchLength } from "./patches.ts";

/** Length of a signature, the vector of the extractor `arrangement-2`. */
export const signatureDimensions = 640;
/**
 * Width of the Gaussian kernel that compares patches, vectors of length 1: closer patches show the same place, farther ones
 * another.
 */
const kernelWidth = 0.35;
/** Each wave gives two numbers, its cosine and its sine. */
const waves = signatureDimensions / 2;
/**
 * Steps of a full turn in the table of cosines, which would otherwise be most of the work. The steps are finer than the noise.
 */
const turn = 1024;
const cosines = Float32Array.from({ length: turn }, (_, at) => Math.cos((2 * Math.PI * at) / turn));
const directions = randomDirections();

/** Reused for each patch. */
const angles = new Float64Array(waves);

/**
 * Returns one unit vector for the first `count` of `patches`, which are stored one after another; `features` is a buffer of
 * `signatureDimensions` numbers for each. Undefined if there are no patches.
 */
export function aggregate(patches: Float32Array, count: number, features: Float32Array): Float32Array | undefined {
  const sum = new Float32Array(signatureDimensions);
  for (let index = 0; index < count; index += 1) {
    const from = index * signatureDimensions;
    fourierFeatures(patches, index * patchLength, features, from);
    addWeighted(sum, features, from, 1);
  }
  const even = new Float32Array(signatureDimensions);
  for (let index = 0; index < count; index += 1) {
    const from = index * signatureDimensions;
    const alike = (dot(features, from, sum) * 2) / signatureDimensions;
    addWeighted(even, features, from, 1 / Math.max(1, alike));
  }
  const rooted = even.map((value) => Math.sign(value) * Math.sqrt(Math.abs(value)));
  const norm = Math.hypot(...rooted);
  return norm > 0 ? rooted.map((value) => value / norm) : undefined;
}

function addWeighted(sum: Float32Array, features: Float32Array, from: number, weight: number): void {
  for (let at = 0; at < sum.length; at += 1) sum[at] = (sum[at] ?? 0) + weight * (features[from + at] ?? 0);
}

function dot(features: Float32Array, from: number, other: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < other.length; at += 1) sum += (features[from + at] ?? 0) * (other[at] ?? 0);
  return sum;
}

/** Computes cosine and sine of each wave at the patch. */
function fourierFeatures(patches: Float32Array, patch: number, features: Float32Array, from: number): void {
  angles.fill(0);
  for (let k = 0; k < patchLength; k += atOnce) addAngles(patches, patch + k, k * waves);
  for (let at = 0; at < waves; at += 1) {
    const angle = angles[at] ?? 0;
    features[from + at] = cosines[angle & (turn - 1)] ?? 0;
    features[from + waves + at] = cosines[(angle - turn / 4) & (turn - 1)] ?? 0;
  }
}

/** Coefficients of a patch that are multiplied at once, a divisor of `patchLength`: three times as fast as one by one. */
const atOnce = 6;

/** Adds the contribution of `atOnce` coefficients to the angle of each wave. */
function addAngles(patches: Float32Array, patch: number, direction: number): void {
  const value = (k: number): number => patches[patch + k] ?? 0;
  const start = (k: number): number => direction + k * waves;
  const [v0, v1, v2, v3, v4, v5] = [value(0), value(1), value(2), value(3), value(4), value(5)];
  const [s1, s2, s3, s4, s5] = [start(1), start(2), start(3), start(4), start(5)];
  for (let at = 0; at < waves; at += 1) {
    angles[at] =
      (angles[at] ?? 0) +
      v0 * (directions[direction + at] ?? 0) +
      v1 * (directions[s1 + at] ?? 0) +
      v2 * (directions[s2 + at] ?? 0) +
      v3 * (directions[s3 + at] ?? 0) +
      v4 * (directions[s4 + at] ?? 0) +
      v5 * (directions[s5 + at] ?? 0);
  }
}

/** Normally distributed directions, in steps of a turn. The seed is part of the format: other numbers give other vectors. */
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
