/** Node's types leave out what is not Node's own. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: Engine };
};

interface Engine {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number };
  readonly product: (codes: number, blocks: number) => number;
}

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
/** Each level is a signed byte. */
const largestLevel = 127;

const canBeCompared = ({ length }: Float64Array): boolean => length > 0 && length % together === 0;

/**
 * For one question at a time: the next one's takes the place of the last one's. `levels`: sixteen signed bytes. Undefined of
 * dimensions that are no multiple of 32.
 */
export function nibbleProductsOf(question: Float64Array, levels: Int8Array): NibbleProducts | undefined {
  if (!canBeCompared(question)) return undefined;
  const { memory, product } = (engine ??= startEngine(levels));
  const blocks = question.length / together;
  const codesFrom = question.length * Int16Array.BYTES_PER_ELEMENT;
  reserve(memory, codesFrom);
  const asked = new Int16Array(memory.buffer, 0, question.length);
  const unit = writeQuestion(question, asked);
  return {
    take(codes) {
      reserve(memory, codesFrom + codes.length);
      new Uint8Array(memory.buffer, codesFrom, codes.length).set(codes);
    },
    at: (place) => unit * product(codesFrom + place, blocks),
  };
}

/** As whole numbers, of each block first the dimensions of the lower halves; what one of them stands for. */
function writeQuestion(question: Float64Array, asked: Int16Array): number {
  const largest = question.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  if (largest === 0) {
    asked.fill(0);
    return 0;
  }
  // No sum of all dimensions leaves 32 bits.
  const range = Math.min(32_767, Math.floor((2 ** 31 - 1) / (largestLevel * question.length)));
  for (let at = 0; at < question.length; at++) {
    const within = at % together;
    const place = at - within + (within % 2) * (together / 2) + (within >> 1);
    asked[place] = Math.round(((question[at] ?? 0) / largest) * range);
  }
  return largest / range;
}

let engine: Engine | undefined;

const pageBytes = 2 ** 16;

function reserve(memory: Engine["memory"], bytes: number): void {
  const missing = bytes - memory.buffer.byteLength;
  if (missing > 0) memory.grow(Math.ceil(missing / pageBytes));
}

const startEngine = (levels: Int8Array): Engine =>
  new WebAssembly.Instance(new WebAssembly.Module(moduleOf(levels))).exports;

/** `product(codes, blocks)` in WebAssembly (core specification 2.0, binary format); the question begins at address 0. */
function moduleOf(levels: Int8Array): Uint8Array<ArrayBuffer> {
  const [i32, v128] = [0x7f, 0x7b];
  const get = (local: number): number[] => [0x20, local];
  const set = (local: number): number[] => [0x21, local];
  const load = (offset: number): number[] => [0xfd, 0x00, 0x00, offset];
  const constant = (bytes: Iterable<number>): number[] => [0xfd, 0x0c, ...new Uint8Array(bytes)];
  const add = (local: number, constantBytes: readonly number[]): number[] => [
    ...get(local),
    0x41,
    ...constantBytes,
    0x6a,
    ...set(local),
  ];
  const [codes, blocks, question, sum, bytes, chosen] = [0, 1, 2, 3, 4, 5] as const;
  const [and, swizzle, shiftRight, dot, addLanes] = [
    [0xfd, 0x4e],
    [0xfd, 0x0e],
    [0xfd, 0x6d],
    [0xfd, 0xba, 1],
    [0xfd, 0xae, 1],
  ];
  const [lowerHalf, upperHalf] = [
    [0xfd, 0x87, 1],
    [0xfd, 0x88, 1],
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
  const lane = (at: number): number[] => [...get(sum), 0xfd, 0x1b, at];
  const body = [
    // Locals: the place in the question; the sum, the bytes, the levels chosen.
    [2, 1, i32, 3, v128],
    [0x03, 0x40],
    [...get(codes), ...load(0), ...set(bytes)],
    choose([...get(bytes), ...constant(new Uint8Array(16).fill(15)), ...and]),
    [...get(sum), ...multiply(lowerHalf, 0), ...multiply(upperHalf, 16), ...set(sum)],
    choose([...get(bytes), 0x41, 4, ...shiftRight]),
    [...get(sum), ...multiply(lowerHalf, 32), ...multiply(upperHalf, 48), ...set(sum)],
    add(codes, [16]),
    add(question, [0xc0, 0]),
    // One block less; again unless it was the last.
    [...get(blocks), 0x41, 1, 0x6b, 0x22, blocks, 0x0d, 0, 0x0b],
    [...lane(0), ...lane(1), 0x6a, ...lane(2), 0x6a, ...lane(3), 0x6a, 0x0b],
  ].flat();
  const section = (id: number, content: readonly number[]): number[] => [id, ...leb(content.length), ...content];
  const name = (text: string): number[] => [text.length, ...Buffer.from(text)];
  return Uint8Array.from(
    [
      [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
      section(1, [1, 0x60, 2, i32, i32, 1, i32]),
      section(3, [1, 0]),
      section(5, [1, 0, 1]),
      section(7, [2, ...name("memory"), 2, 0, ...name("product"), 0, 0]),
      section(10, [1, ...leb(body.length), ...body]),
    ].flat(),
  );
}

/** A number in seven bits a byte. */
const leb = (value: number): number[] => (value < 128 ? [value] : [(value & 127) | 128, ...leb(value >> 7)]);
