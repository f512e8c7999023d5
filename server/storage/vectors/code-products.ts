import { byteKernel, bytesPerBlock, nibbleKernel, nibblesPerBlock, orderForNibbles } from "./simd-kernels.ts";
import { createEngine, type Engine, reserve } from "./simd-module.ts";
import { writeQuestion, writeRest } from "./simd-question.ts";

/**
 * The products of a question with the vectors of one page after the other, in instructions for vectors of the processor
 * (SIMD), which WebAssembly has on every machine that Node runs on: a tenth of what they take in JavaScript.
 */
export interface CodeProducts {
  /** Takes the codes of a page, into which the places of the following calls point; a view of them until the next ones are taken. */
  take(codes: Uint8Array): DataView;
  /** The sum of (dimension of the question · signed byte) of those that begin at a place. */
  ofBytes(place: number): number;
  /**
   * The sums of (dimension of the question · level of its code of four bits) of so many vectors, which begin every `stride`
   * bytes from a place on. They are there until the next call, and others may follow them.
   */
  ofNibbles(place: number, stride: number, count: number): Float64Array;
}

type PageEngine = Engine<"bytes" | "nibbles">;

const usualParts = 64;
/** What the codes of a page take, with its sums. */
const usualBytes = 2 ** 15;
const sumBytes = Int32Array.BYTES_PER_ELEMENT;

/**
 * For one question at a time: the next one's takes the place of the last one's. `levels`: sixteen signed bytes. Undefined of
 * dimensions that are no multiple of 32.
 */
export function codeProductsOf(question: Float64Array, levels: Int8Array): CodeProducts | undefined {
  const { length } = question;
  if (length === 0 || length % nibblesPerBlock !== 0) return undefined;
  const running = (engine ??= startEngine(levels));
  const { memory, bytes, nibbles } = running;
  const askedBytes = length * Int16Array.BYTES_PER_ELEMENT;
  const [forNibbles, forBytes, forRest, codesFrom] = [0, askedBytes, 2 * askedBytes, 3 * askedBytes];
  reserve(running, codesFrom + usualBytes);
  const askedAt = (from: number): Int16Array => new Int16Array(memory.buffer, from, length);
  const unit = writeQuestion(question, askedAt(forBytes));
  orderForNibbles(askedAt(forBytes), askedAt(forNibbles));
  const unitOfRest = writeRest(question, askedAt(forRest));
  let looked = viewsOf(running, codesFrom);
  let sumsFrom = codesFrom;
  let products = new Float64Array(usualParts);
  const product = (place: number, asked: number): number => {
    bytes(codesFrom + place, 0, 1, asked, length / bytesPerBlock, sumsFrom);
    return looked.sums[sumsFrom / sumBytes] ?? 0;
  };
  return {
    take(codes) {
      sumsFrom = codesFrom + Math.ceil(codes.length / sumBytes) * sumBytes;
      // There are fewer sums than bytes.
      if (sumsFrom + codes.length > memory.buffer.byteLength) {
        reserve(running, sumsFrom + codes.length);
        looked = viewsOf(running, codesFrom);
      }
      looked.bytes.set(codes, codesFrom);
      return looked.codes;
    },
    ofBytes: (place) => unit * product(place, forBytes) + unitOfRest * product(place, forRest),
    ofNibbles(place, stride, count) {
      if (count > 0) nibbles(codesFrom + place, stride, count, forNibbles, length / nibblesPerBlock, sumsFrom);
      if (products.length < count) products = new Float64Array(2 * count);
      for (let at = 0; at < count; at++) products[at] = unit * (looked.sums[sumsFrom / sumBytes + at] ?? 0);
      return products;
    },
  };
}

interface Views {
  readonly bytes: Uint8Array;
  readonly sums: Int32Array;
  readonly codes: DataView;
}

const viewsOf = ({ memory: { buffer } }: PageEngine, codesFrom: number): Views => ({
  bytes: new Uint8Array(buffer),
  sums: new Int32Array(buffer),
  codes: new DataView(buffer, codesFrom),
});

let engine: PageEngine | undefined;

const startEngine = (levels: Int8Array): PageEngine =>
  createEngine({ bytes: byteKernel, nibbles: nibbleKernel(levels) })();
