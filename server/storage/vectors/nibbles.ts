import { createEngine, type Engine, instructions, locals, reserve, writeQuestion } from "./simd-module.ts";

/**
 * The product of a question with codes of four bits, sixteen bytes of them at a time. In JavaScript comparing 165 pages takes
 * 2 ms of a question's CPU, in instructions for vectors of the processor (SIMD), which WebAssembly has on every machine that
 * Node runs on, a tenth of it.
 */
export interface NibbleProducts {
  /** Takes the codes of a page, into which the places of the following calls point. */
  take(codes: Uint8Array): void;
  /** The sum of (dimension of the question · level of its code) of the codes that begin at a place. */
  at(place: number): number;
}

/** Dimensions that are multiplied together: the halves of sixteen bytes. */
const together = 32;

const canBeCompared = ({ length }: Float64Array): boolean => length > 0 && length % together === 0;

/**
 * For one question at a time: the next one's takes the place of the last one's. `levels`: sixteen signed bytes. Undefined of
 * dimensions that are no multiple of 32.
 */
export function nibbleProductsOf(question: Float64Array, levels: Int8Array): NibbleProducts | undefined {
  if (!canBeCompared(question)) return undefined;
  const running = (engine ??= startEngine(levels));
  const { memory, product } = running;
  const blocks = question.length / together;
  const codesFrom = question.length * Int16Array.BYTES_PER_ELEMENT;
  reserve(running, codesFrom);
  const asked = new Int16Array(memory.buffer, 0, question.length);
  const unit = writeQuestion(question, asked, placeOf);
  return {
    take(codes) {
      reserve(running, codesFrom + codes.length);
      new Uint8Array(memory.buffer, codesFrom, codes.length).set(codes);
    },
    at: (place) => unit * product(codesFrom + place, blocks),
  };
}

/** Of each block first the dimensions of the lower halves. */
function placeOf(dimension: number): number {
  const within = dimension % together;
  return dimension - within + (within % 2) * (together / 2) + (within >> 1);
}

let engine: Engine | undefined;

function startEngine(levels: Int8Array): Engine {
  const { get, set, load, constant, add, lowerHalf, upperHalf, dot, addLanes } = instructions;
  const { codes, question, vectors: sum } = locals;
  const [bytes, chosen] = [sum + 1, sum + 2];
  const [and, swizzle, shiftRight] = [
    [0xfd, 0x4e],
    [0xfd, 0x0e],
    [0xfd, 0x6d],
  ];
  const choose = (places: readonly number[]): number[] => [...constant(levels), ...places, ...swizzle, ...set(chosen)];
  const multiply = (half: readonly number[], offset: number): number[] => [
    ...get(chosen),
    ...half,
    ...get(question),
    ...load(offset),
    ...dot,
    ...addLanes,
  ];
  return createEngine(3, [
    [...get(codes), ...load(0), ...set(bytes)],
    choose([...get(bytes), ...constant(new Uint8Array(16).fill(15)), ...and]),
    [...get(sum), ...multiply(lowerHalf, 0), ...multiply(upperHalf, 16), ...set(sum)],
    choose([...get(bytes), 0x41, 4, ...shiftRight]),
    [...get(sum), ...multiply(lowerHalf, 32), ...multiply(upperHalf, 48), ...set(sum)],
    add(codes, [16]),
    add(question, [0xc0, 0]),
  ])();
}
