import { createEngine, type Engine, instructions, locals, reserve, writeQuestion } from "./simd-module.ts";

/**
 * Vectors of signed bytes, each with a scale, that are all multiplied with a question: a millisecond for 5,000 of 1,024
 * dimensions, in instructions for vectors of the processor.
 */
export interface ByteMatrix {
  readonly length: number;
  /** Throws `TypeError` on a vector of other dimensions. */
  push(values: Int8Array, scale: number): void;
  /** Adds a row of another matrix of as many dimensions. */
  pushRowOf(other: ByteMatrix, row: number): void;
  valuesOf(row: number): { readonly values: Int8Array; readonly scale: number };
  /** The product of each vector, times its scale, with the question. */
  productsWith(question: Float64Array): Float32Array;
}

/** Bytes that are multiplied together. */
const together = 16;

/** Room for `capacity` vectors. Undefined of dimensions that are no multiple of 16. */
export function createByteMatrix(dimensions: number, capacity: number): ByteMatrix | undefined {
  if (dimensions === 0 || dimensions % together !== 0) return undefined;
  const engine = startEngine();
  const rowsFrom = dimensions * Int16Array.BYTES_PER_ELEMENT;
  reserve(engine, rowsFrom + capacity * dimensions);
  const { memory, product } = engine;
  const asked = new Int16Array(memory.buffer, 0, dimensions);
  const rows = new Int8Array(memory.buffer, rowsFrom, capacity * dimensions);
  const scales = new Float32Array(capacity);
  let length = 0;
  const matrix: ByteMatrix = {
    get length() {
      return length;
    },
    push(values, scale) {
      if (values.length !== dimensions || length === capacity) throw new TypeError("no vector of the matrix");
      rows.set(values, length * dimensions);
      scales[length] = scale;
      length += 1;
    },
    pushRowOf(other, row) {
      const { values, scale } = other.valuesOf(row);
      matrix.push(values, scale);
    },
    valuesOf: (row) => ({
      values: rows.subarray(row * dimensions, (row + 1) * dimensions),
      scale: scales[row] ?? 0,
    }),
    productsWith(question) {
      if (question.length !== dimensions) throw new TypeError("a question of other dimensions");
      const unit = writeQuestion(question, asked);
      const products = new Float32Array(length);
      for (let row = 0; row < length; row++) {
        products[row] = unit * (scales[row] ?? 0) * product(rowsFrom + row * dimensions, dimensions / together);
      }
      return products;
    },
  };
  return matrix;
}

const startEngine = createByteEngine();

function createByteEngine(): () => Engine {
  const { get, set, load, add, lowerHalf, upperHalf, dot, addLanes } = instructions;
  const { codes, question, vectors: sum } = locals;
  const bytes = sum + 1;
  const multiply = (half: readonly number[], offset: number): number[] => [
    ...get(bytes),
    ...half,
    ...get(question),
    ...load(offset),
    ...dot,
    ...addLanes,
  ];
  return createEngine(2, [
    [...get(codes), ...load(0), ...set(bytes)],
    [...get(sum), ...multiply(lowerHalf, 0), ...multiply(upperHalf, 16), ...set(sum)],
    add(codes, [16]),
    add(question, [32]),
  ]);
}
