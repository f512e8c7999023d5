import { i32, type ModuleMemory, moduleOf, v128 } from "./wasm-module.ts";

/**
 * Multiplies `count` vectors of codes, which begin every `stride` bytes from address `from` on, with the question at another
 * address, block by block. The products, as whole numbers of 32 bits, begin at `out`. `count` and `blocks` are 1 or more.
 */
export type Multiply = (
  from: number,
  stride: number,
  count: number,
  question: number,
  blocks: number,
  out: number,
) => void;

export type Engine<Kernels extends string> = { readonly [name in Kernels]: Multiply } & {
  readonly memory: ModuleMemory;
};

/** What a kernel does with each block of a vector. */
export interface Kernel {
  /** Local variables of 128 bits, the sum among them. */
  readonly vectors: number;
  /** Sets those that stay the same. */
  readonly first: readonly (readonly number[])[];
  /** Adds products to the four lanes of the sum, and moves on. */
  readonly block: readonly (readonly number[])[];
}

const pageBytes = 2 ** 16;

/** Makes room for so many bytes; what was looked at the memory through is detached by that. */
export function reserve({ memory }: Pick<Engine<never>, "memory">, bytes: number): void {
  const missing = bytes - memory.buffer.byteLength;
  if (missing > 0) memory.grow(Math.ceil(missing / pageBytes));
}

/** The parameters of the function, and its local variables: those of 128 bits begin with the sum. */
const parameters = { from: 0, stride: 1, count: 2, firstQuestion: 3, blocks: 4, out: 5 } as const;
export const locals = { codes: 6, question: 7, left: 8, sum: 9 } as const;

export const instructions = {
  get: (local: number): readonly number[] => [0x20, local],
  set: (local: number): readonly number[] => [0x21, local],
  load: (offset: number): readonly number[] => [0xfd, 0x00, 0x00, offset],
  /** Eight signed bytes as 16-bit numbers. */
  loadBytes: (offset: number): readonly number[] => [0xfd, 0x01, 0x00, offset],
  constant: (bytes: Iterable<number>): readonly number[] => [0xfd, 0x0c, ...new Uint8Array(bytes)],
  /** Adds a constant, as signed LEB128. */
  add: (local: number, constant: readonly number[]): readonly number[] => [
    0x20,
    local,
    0x41,
    ...constant,
    0x6a,
    0x21,
    local,
  ],
  /** The lower eight, and the upper eight, of sixteen signed bytes as 16-bit numbers. */
  lowerHalf: [0xfd, 0x87, 1],
  upperHalf: [0xfd, 0x88, 1],
  /** Products of 16-bit numbers, neighbours added. */
  dot: [0xfd, 0xba, 1],
  addLanes: [0xfd, 0xae, 1],
} as const;

/** A function for each kernel, and one memory. */
export function createEngine<Kernels extends string>(kernels: Record<Kernels, Kernel>): () => Engine<Kernels> {
  const bodies = Object.entries<Kernel>(kernels).map(([name, kernel]) => [name, bodyOf(kernel)] as const);
  const start = moduleOf(Object.keys(parameters).length, Object.fromEntries(bodies));
  return () => start().exports;
}

/** A loop over the vectors, in it one over the blocks of a vector. */
function bodyOf({ vectors, first, block }: Kernel): number[] {
  const { get, set, add, constant, addLanes } = instructions;
  const { from, stride, count, firstQuestion, blocks, out } = parameters;
  const { codes, question, left, sum } = locals;
  const loop = [0x03, 0x40];
  /** One less; again unless it was the last. */
  const again = (counter: number): number[] => [...get(counter), 0x41, 1, 0x6b, 0x22, counter, 0x0d, 0, 0x0b];
  /** Adds those lanes that are so many bytes further. */
  const addRotated = (by: number): number[] => {
    const lanes = Array.from({ length: 16 }, (_, at) => (at + by) % 16);
    return [...get(sum), ...get(sum), ...get(sum), 0xfd, 0x0d, ...lanes, ...addLanes, ...set(sum)];
  };
  return [
    [2, 3, i32, vectors, v128],
    ...first,
    loop,
    [...get(from), ...set(codes), ...get(firstQuestion), ...set(question), ...get(blocks), ...set(left)],
    [...constant(new Uint8Array(16)), ...set(sum)],
    loop,
    ...block,
    again(left),
    addRotated(8),
    addRotated(4),
    [...get(out), ...get(sum), 0xfd, 0x1b, 0, 0x36, 2, 0],
    [...get(from), ...get(stride), 0x6a, ...set(from)],
    add(out, [4]),
    again(count),
    [0x0b],
  ].flat();
}
