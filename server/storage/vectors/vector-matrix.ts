import { type Engine, reserve } from "./simd-module.ts";

/** A vector as the kernel of a layout reads it, and what one step of its codes stands for. */
export interface CodedVector {
  readonly values: Int8Array;
  readonly scale: number;
}

/** Vectors of which products with a question are asked for, all of them or some, in instructions for vectors of the processor. */
export interface VectorMatrix {
  readonly length: number;
  /** Of one vector. */
  readonly rowBytes: number;
  /** Throws `TypeError` on codes of other dimensions, and where there is no room. */
  push(vector: CodedVector): void;
  valuesOf(row: number): CodedVector;
  /** The products of the vectors, of length 1, with the question: of all rows, or of some, which ascend. */
  productsWith(question: Float32Array, rows?: Uint32Array): Float32Array;
}

/** How vectors are kept: blocks of sixteen bytes, which a kernel multiplies with a question. */
export interface MatrixLayout {
  readonly dimensionsPerBlock: number;
  readonly startEngine: () => Engine<"multiply">;
  /** Writes the question to the beginning of the memory. */
  readonly ask: (question: Float32Array, memory: ArrayBuffer) => AskedProducts;
}

/** A product is `unit` · (the kernel's sum - `zero`) · the scale of the vector. */
export interface AskedProducts {
  readonly unit: number;
  readonly zero: number;
}

const blockBytes = 16;

/** Room for `capacity` vectors. Undefined of dimensions that are no multiple of a block's. */
export function createMatrix(layout: MatrixLayout, dimensions: number, capacity: number): VectorMatrix | undefined {
  const blocks = dimensions / layout.dimensionsPerBlock;
  if (blocks === 0 || !Number.isInteger(blocks)) return undefined;
  const engine = layout.startEngine();
  const rowBytes = blocks * blockBytes;
  // A question has at most 16 bits a dimension.
  const rowsFrom = dimensions * Int16Array.BYTES_PER_ELEMENT;
  const sumsFrom = rowsFrom + capacity * rowBytes;
  reserve(engine, sumsFrom + capacity * Int32Array.BYTES_PER_ELEMENT);
  const { memory, multiply } = engine;
  const sums = new Int32Array(memory.buffer, sumsFrom, capacity);
  const rows = new Int8Array(memory.buffer, rowsFrom, capacity * rowBytes);
  const scales = new Float32Array(capacity);
  let length = 0;
  return {
    rowBytes,
    get length() {
      return length;
    },
    push({ values, scale }) {
      if (values.length !== rowBytes || length === capacity) throw new TypeError("no vector of the matrix");
      rows.set(values, length * rowBytes);
      scales[length] = scale;
      length += 1;
    },
    valuesOf: (row) => ({
      values: rows.subarray(row * rowBytes, (row + 1) * rowBytes),
      scale: scales[row] ?? 0,
    }),
    productsWith(question, wanted) {
      if (question.length !== dimensions) throw new TypeError("a question of other dimensions");
      const { unit, zero } = layout.ask(question, memory.buffer);
      const products = new Float32Array(wanted?.length ?? length);
      for (const [at, from, count] of runsOf(wanted, length)) {
        multiply(rowsFrom + from * rowBytes, rowBytes, count, 0, blocks, sumsFrom);
        for (let row = 0; row < count; row++) {
          products[at + row] = unit * (scales[from + row] ?? 0) * ((sums[row] ?? 0) - zero);
        }
      }
      return products;
    },
  };
}

/** Rows that follow one another, which are multiplied together: the place of the first among the wanted, that row, and how many they are. */
function* runsOf(wanted: Uint32Array | undefined, length: number): Generator<readonly [number, number, number]> {
  if (wanted === undefined) {
    if (length > 0) yield [0, 0, length];
    return;
  }
  for (let at = 0; at < wanted.length;) {
    const row = wanted[at] ?? 0;
    let count = 1;
    while (wanted[at + count] === row + count) count += 1;
    yield [at, row, count];
    at += count;
  }
}
