import { instructions } from "./simd-module.ts";
import { i32, leb, type ModuleMemory, moduleOf, v128 } from "./wasm-module.ts";

/** Rows that are added up beside each other. */
export const rowsPerBlock = 16;
/** Dimensions of a byte of a row's signs: two groups, one in each half of the byte. */
export const dimensionsPerByte = 8;
/** Bytes of a row after which the sums of sixteen rows, of a byte each, become numbers of 16 bits. */
const bytesPerStep = 4;
export const dimensionsPerStep = bytesPerStep * dimensionsPerByte;
/** Of a table: so that the sums of a step, of two groups a byte, stay within a byte. */
export const largestEntry = Math.floor(255 / (2 * bytesPerStep));

export interface SignEngine {
  readonly memory: ModuleMemory;
  /**
   * Of each row of so many blocks, which begin at `from`, the sum of what the tables at `tables` have for its groups; numbers of 16
   * bits from `out` on. `blocks` is 1 or more, and `bytes`, of a row, a multiple of a step's.
   */
  addUp(from: number, blocks: number, tables: number, bytes: number, out: number): void;
}

const [from, blocks, tables, bytes, out, table, left] = [0, 1, 2, 3, 4, 5, 6];
const [lowerHalf, lowerByte, codes, sums, even, odd] = [7, 8, 9, 10, 11, 12];

const { get, set, load, constant } = instructions;
const simd = (operation: number): number[] => [0xfd, ...leb(operation)];
const [and, shiftBytes, addBytes] = [simd(0x4e), simd(0x6d), simd(0x6e)];
const [shiftWords, addWords] = [simd(0x8d), simd(0x8e)];
/** Of places below sixteen all processors give the same (relaxed SIMD). */
const lookUp = simd(0x100);
const whole = (value: number): number[] => [0x41, ...signed(value)];
const move = (local: number, by: number): number[] => [...get(local), ...whole(by), 0x6a, ...set(local)];
/** The local, one step less; again unless that is zero. */
const again = (local: number, step: number): number[] =>
  [get(local), whole(step), [0x6b, 0x22, local, 0x0d, 0, 0x0b]].flat();
const loop = [0x03, 0x40];

/** What the tables have for the two groups of one byte of each of the sixteen rows. */
function addByte(at: number): number[] {
  const tableOf = (half: number): readonly number[] => [0xfd, 0x00, 0x00, ...leb(rowsPerBlock * (2 * at + half))];
  return [
    [get(from), load(rowsPerBlock * at), set(codes), get(sums)],
    [get(table), tableOf(0), get(codes), get(lowerHalf), and, lookUp, addBytes],
    [get(table), tableOf(1), get(codes), whole(4), shiftBytes, lookUp, addBytes, set(sums)],
  ].flat(2);
}

/** Stores eight rows: those at even places are in one vector, and those at odd places in another. */
function store(firstLane: number, offset: number): number[] {
  const lanes = [0, 1, 2, 3].flatMap((lane) => {
    const byte = 2 * (firstLane + lane);
    return [byte, byte + 1, byte + 16, byte + 17];
  });
  return [get(out), get(even), get(odd), [0xfd, 0x0d, ...lanes], [0xfd, 0x0b, 0x00, offset]].flat();
}

const zero = constant(new Uint8Array(16));
const body = [
  [2, 2, i32, 6, v128],
  [...constant(new Uint8Array(16).fill(15)), ...set(lowerHalf)],
  [...constant(Uint8Array.from({ length: 16 }, (_, at) => (at % 2 === 0 ? 255 : 0))), ...set(lowerByte)],
  loop,
  [get(tables), set(table), get(bytes), set(left), zero, set(even), zero, set(odd)].flat(),
  loop,
  [...zero, ...set(sums)],
  ...Array.from({ length: bytesPerStep }, (_, at) => addByte(at)),
  [get(even), get(sums), get(lowerByte), and, addWords, set(even)].flat(),
  [get(odd), get(sums), whole(8), shiftWords, addWords, set(odd)].flat(),
  move(from, rowsPerBlock * bytesPerStep),
  move(table, 2 * rowsPerBlock * bytesPerStep),
  again(left, bytesPerStep),
  store(0, 0),
  store(4, 16),
  move(out, 2 * rowsPerBlock),
  again(blocks, 1),
  [0x0b],
].flat();

const start = moduleOf(5, { addUp: body });

/** One function, and one memory. */
export const startSignEngine = (): SignEngine => start().exports;

/** A number that may be negative, in seven bits a byte. */
function signed(value: number): number[] {
  return value < 64 ? [value] : [(value & 127) | 128, ...signed(value >> 7)];
}
