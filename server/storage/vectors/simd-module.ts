/** Node's types leave out what is not Node's own. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: Engine };
};

/** A product of what begins at address 0 of the memory with what begins at another. */
export interface Engine {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number };
  readonly product: (from: number, blocks: number) => number;
}

const pageBytes = 2 ** 16;

/** Makes room for so many bytes; what was looked at the memory through is detached by that. */
export function reserve({ memory }: Engine, bytes: number): void {
  const missing = bytes - memory.buffer.byteLength;
  if (missing > 0) memory.grow(Math.ceil(missing / pageBytes));
}

export const instructions = {
  get: (local: number): readonly number[] => [0x20, local],
  set: (local: number): readonly number[] => [0x21, local],
  load: (offset: number): readonly number[] => [0xfd, 0x00, 0x00, offset],
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
  lane: (local: number, at: number): readonly number[] => [0x20, local, 0xfd, 0x1b, at],
  /** The lower eight, and the upper eight, of sixteen signed bytes as 16-bit numbers. */
  lowerHalf: [0xfd, 0x87, 1],
  upperHalf: [0xfd, 0x88, 1],
  /** Products of 16-bit numbers, neighbours added. */
  dot: [0xfd, 0xba, 1],
  addLanes: [0xfd, 0xae, 1],
} as const;

const [i32, v128] = [0x7f, 0x7b];

/** The parameters of the function, and its local variables: `vectors` follow `question`, and are zero at first. */
export const locals = { codes: 0, blocks: 1, question: 2, vectors: 3 } as const;

/**
 * `product(from, blocks)` in WebAssembly (core specification 2.0, binary format): does `block` so often, which moves on by
 * itself, and gives the sum of the four lanes of the first vector.
 */
export function createEngine(vectors: number, block: readonly (readonly number[])[]): () => Engine {
  const { lane } = instructions;
  const sum = locals.vectors;
  const body = [
    [2, 1, i32, vectors, v128],
    [0x03, 0x40],
    ...block,
    // One block less; again unless it was the last.
    [...instructions.get(locals.blocks), 0x41, 1, 0x6b, 0x22, locals.blocks, 0x0d, 0, 0x0b],
    [...lane(sum, 0), ...lane(sum, 1), 0x6a, ...lane(sum, 2), 0x6a, ...lane(sum, 3), 0x6a, 0x0b],
  ].flat();
  const section = (id: number, content: readonly number[]): number[] => [id, ...leb(content.length), ...content];
  const name = (text: string): number[] => [text.length, ...Buffer.from(text)];
  const bytes = Uint8Array.from(
    [
      [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
      section(1, [1, 0x60, 2, i32, i32, 1, i32]),
      section(3, [1, 0]),
      section(5, [1, 0, 1]),
      section(7, [2, ...name("memory"), 2, 0, ...name("product"), 0, 0]),
      section(10, [1, ...leb(body.length), ...body]),
    ].flat(),
  );
  let module: object | undefined;
  return () => new WebAssembly.Instance((module ??= new WebAssembly.Module(bytes))).exports;
}

/** A number in seven bits a byte. */
const leb = (value: number): number[] => (value < 128 ? [value] : [(value & 127) | 128, ...leb(value >> 7)]);

/** As whole numbers of 16 bits, so that no sum of all dimensions with signed bytes leaves 32 bits; what one of them stands for. */
export function writeQuestion(
  question: Float64Array,
  asked: Int16Array,
  placeOf: (dimension: number) => number = (dimension) => dimension,
): number {
  const largest = question.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  if (largest === 0) {
    asked.fill(0);
    return 0;
  }
  const range = Math.min(32_767, Math.floor((2 ** 31 - 1) / (largestByte * question.length)));
  for (let at = 0; at < question.length; at++) asked[placeOf(at)] = Math.round(((question[at] ?? 0) / largest) * range);
  return largest / range;
}

const largestByte = 127;
