/** Node's types leave out what is not Node's own. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: never };
};

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
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number };
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

const [i32, v128] = [0x7f, 0x7b];

/** A function for each kernel, and one memory, in WebAssembly (core specification 2.0, binary format). */
export function createEngine<Kernels extends string>(kernels: Record<Kernels, Kernel>): () => Engine<Kernels> {
  const names = Object.keys(kernels);
  const bodies = Object.values<Kernel>(kernels).map(bodyOf);
  const section = (id: number, content: readonly number[]): number[] => [id, ...leb(content.length), ...content];
  const list = (entries: readonly (readonly number[])[]): number[] => [entries.length, ...entries.flat()];
  const name = (text: string): number[] => [text.length, ...Buffer.from(text)];
  const bytes = Uint8Array.from(
    [
      [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
      section(1, list([[0x60, ...list(Object.values(parameters).map(() => [i32])), 0]])),
      section(3, list(names.map(() => [0]))),
      section(5, [1, 0, 1]),
      section(7, list([[...name("memory"), 2, 0], ...names.map((each, at) => [...name(each), 0, at])])),
      section(10, list(bodies.map((body) => [...leb(body.length), ...body]))),
    ].flat(),
  );
  let module: object | undefined;
  return () => new WebAssembly.Instance((module ??= new WebAssembly.Module(bytes))).exports;
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

/** A number in seven bits a byte. */
const leb = (value: number): number[] => (value < 128 ? [value] : [(value & 127) | 128, ...leb(value >> 7)]);
