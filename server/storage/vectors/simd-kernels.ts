import { instructions, type Kernel, locals } from "./simd-module.ts";

/** Sixteen signed bytes at a time, which stand for themselves. */
export const bytesPerBlock = 16;

/** Sixteen bytes at a time, each two codes of four bits. */
export const nibblesPerBlock = 32;

const { get, set, load, loadBytes, constant, add, lowerHalf, upperHalf, dot, addLanes } = instructions;
const { codes, question, sum } = locals;

export const byteKernel: Kernel = {
  vectors: 1,
  first: [],
  block: [[...get(sum), ...multiplyBytes(0), ...multiplyBytes(8), ...set(sum)], add(codes, [16]), add(question, [32])],
};

function multiplyBytes(offset: number): number[] {
  return [...get(codes), ...loadBytes(offset), ...get(question), ...load(2 * offset), ...dot, ...addLanes];
}

/**
 * What the codes stand for are sixteen signed bytes, the levels. The question has of each block first the dimensions of the
 * lower halves (`orderForNibbles`).
 */
export function nibbleKernel(levels: Int8Array): Kernel {
  const [bytes, chosen, table, ofLowerHalf] = [sum + 1, sum + 2, sum + 3, sum + 4];
  const [and, swizzle, shiftRight] = [
    [0xfd, 0x4e],
    [0xfd, 0x0e],
    [0xfd, 0x6d],
  ];
  const choose = (places: readonly number[]): number[] => [...get(table), ...places, ...swizzle, ...set(chosen)];
  const multiply = (half: readonly number[], offset: number): number[] => [
    ...get(chosen),
    ...half,
    ...get(question),
    ...load(offset),
    ...dot,
    ...addLanes,
  ];
  return {
    vectors: 5,
    first: [
      [...constant(levels), ...set(table)],
      [...constant(new Uint8Array(16).fill(15)), ...set(ofLowerHalf)],
    ],
    block: [
      [...get(codes), ...load(0), ...set(bytes)],
      choose([...get(bytes), ...get(ofLowerHalf), ...and]),
      [...get(sum), ...multiply(lowerHalf, 0), ...multiply(upperHalf, 16), ...set(sum)],
      choose([...get(bytes), 0x41, 4, ...shiftRight]),
      [...get(sum), ...multiply(lowerHalf, 32), ...multiply(upperHalf, 48), ...set(sum)],
      add(codes, [16]),
      add(question, [0xc0, 0]),
    ],
  };
}

/** Puts the numbers of a question in the order of the kernel. */
export function orderForNibbles(question: Int16Array, ordered: Int16Array): void {
  const half = nibblesPerBlock / 2;
  for (let from = 0; from < question.length; from += nibblesPerBlock) {
    for (let at = 0; at < half; at++) {
      ordered[from + at] = question[from + 2 * at] ?? 0;
      ordered[from + half + at] = question[from + 2 * at + 1] ?? 0;
    }
  }
}
