import type { ScaledBytes } from "./byte-matrix.ts";
import { dimensionsPerLook } from "./codes.ts";
import { createEngine, instructions, type Kernel, locals } from "./simd-module.ts";
import { type CodedVector, createMatrix, type MatrixLayout, type VectorMatrix } from "./vector-matrix.ts";

/** Sixteen bytes at a time: their lower halves are the codes of one dimension each, and their upper halves of the sixteen that follow. */
const dimensionsPerBlock = 32;
const half = dimensionsPerBlock / 2;

/**
 * Sixteen steps of one width, which unlike levels of varying width can be multiplied as they are. The width, in standard deviations, loses
 * least of a normal distribution (Max, "Quantizing for minimum distortion", 1960).
 */
const steps = 16;
const stepInDeviations = 0.335;
/** What code 0 is below nothing. */
const middle = (steps - 1) / 2;

/** What a dimension of a question may be. */
const largestAsked = 127;

const layout: MatrixLayout = { dimensionsPerBlock, startEngine: createEngine({ multiply: kernelOf() }), ask };

/**
 * Four bits a dimension: half of the memory of bytes, and so, where vectors are more than the processor's caches hold, half of the
 * time. Undefined of dimensions that are no multiple of 32.
 */
export const createNibbleMatrix = (dimensions: number, capacity: number): VectorMatrix | undefined =>
  createMatrix(layout, dimensions, capacity);

/** Codes of a vector of so many dimensions as the matrix has; the scale of a vector of zeros is 0. */
export function encodeNibbles(vector: Float32Array): CodedVector {
  const values = new Int8Array(vector.length / 2);
  let squares = 0;
  for (let at = 0; at < vector.length; at++) squares += (vector[at] ?? 0) ** 2;
  if (squares === 0) return { values, scale: 0 };
  const perStep = 1 / (stepInDeviations * Math.sqrt(squares / vector.length));
  let kept = 0;
  const codeAt = (at: number): number => {
    const value = vector[at] ?? 0;
    const code = codeOf(value * perStep);
    kept += value * (code - middle);
    return code;
  };
  for (let place = 0; place < values.length; place++) {
    const lower = place + (place & -half);
    values[place] = codeAt(lower) | (codeAt(lower + half) << 4);
  }
  // So that products come out right on average (after Gao and Long, "RaBitQ", 2024), where the nearest step would give less.
  return { values, scale: Math.sqrt(squares) / kept };
}

/** Whether codes are those of a vector that is known in bytes, to a step, since it was rounded for these (see `areBytesOf`). */
export function areNibblesOf({ values, scale }: CodedVector, known: ScaledBytes): boolean {
  if (known.scale === 0 || scale === 0) return known.scale === scale;
  const perStep = (known.scale * Math.sqrt(known.values.length)) / stepInDeviations;
  const isNear = (code: number, at: number): boolean =>
    Math.abs(codeOf((known.values[at] ?? Number.NaN) * perStep) - code) <= 1;
  for (let place = 0; place < values.length; place += dimensionsPerLook) {
    const pair = values[place] ?? 0;
    const lower = place + (place & -half);
    if (!isNear(pair & 15, lower) || !isNear((pair >> 4) & 15, lower + half)) return false;
  }
  return true;
}

/** Of a value in steps. */
const codeOf = (value: number): number => Math.max(0, Math.min(steps - 1, Math.floor(value) + steps / 2));

/** A bit for each dimension in which the vector of such codes is above zero, the lowest of a byte first. */
export function signsOf({ values }: CodedVector): Uint8Array {
  const signs = new Uint8Array(values.length / 4);
  for (let place = 0; place < values.length; place++) {
    const pair = values[place] ?? 0;
    const lower = (place + (place & -half)) >> 3;
    const upper = lower + half / 8;
    signs[lower] = (signs[lower] ?? 0) | (((pair >> 3) & 1) << (place & 7));
    signs[upper] = (signs[upper] ?? 0) | (((pair >> 7) & 1) << (place & 7));
  }
  return signs;
}

/** Writes the question as signed bytes. */
function ask(question: Float32Array, memory: ArrayBuffer): { readonly unit: number; readonly zero: number } {
  const asked = new Int8Array(memory, 0, question.length);
  let largest = 0;
  for (let at = 0; at < question.length; at++) largest = Math.max(largest, Math.abs(question[at] ?? 0));
  const unit = largest === 0 ? 1 : largest / largestAsked;
  let sum = 0;
  for (let at = 0; at < question.length; at++) {
    asked[at] = Math.round((question[at] ?? 0) / unit);
    sum += asked[at] ?? 0;
  }
  return { unit, zero: middle * sum };
}

function kernelOf(): Kernel {
  const { get, set, load, constant, add } = instructions;
  const { codes, question, sum } = locals;
  const [bytes, ofLowerHalf] = [sum + 1, sum + 2];
  const and = [0xfd, 0x4e];
  const upperHalf = [0x41, 4, 0xfd, 0x6d];
  /**
   * Products of sixteen signed bytes with as many numbers below 128, four neighbours added, and the sum (relaxed SIMD; of such
   * numbers all processors give the same).
   */
  const addProducts = [0xfd, 0x93, 2];
  const multiply = (offset: number, chosen: readonly number[]): number[] =>
    [get(question), load(offset), get(bytes), chosen, get(sum), addProducts, set(sum)].flat();
  return {
    vectors: 3,
    first: [[...constant(new Uint8Array(16).fill(15)), ...set(ofLowerHalf)]],
    block: [
      [...get(codes), ...load(0), ...set(bytes)],
      multiply(0, [...get(ofLowerHalf), ...and]),
      multiply(half, upperHalf),
      add(codes, [16]),
      add(question, [dimensionsPerBlock]),
    ],
  };
}
