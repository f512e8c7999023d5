import type { Data } from "apache-arrow";
import type { DenseSpace } from "../../domain/ports/vectors.ts";
import type { Lance } from "./lance.ts";

type Arrow = Pick<Lance, "arrow">;

/**
 * Builds a column with a list of vectors per page; copies each vector once. Throws `TypeError`, like `vectorColumn`.
 */
export function vectorLists(lance: Arrow, space: DenseSpace, pages: readonly (readonly Float32Array[])[]): Data {
  const { arrow } = lance;
  const offsets = Int32Array.from([0, ...pages.map(({ length }) => length)]);
  for (let index = 1; index < offsets.length; index++)
    offsets[index] = (offsets[index] ?? 0) + (offsets[index - 1] ?? 0);
  const child = vectorColumn(lance, space, pages.flat());
  const type = new arrow.List(new arrow.Field("item", child.type, true));
  return arrow.makeData({ type, length: pages.length, nullCount: 0, valueOffsets: offsets, child });
}

/**
 * Builds a column with a vector of 16-bit floats per page. Throws `TypeError` on vectors that do not belong in the
 * space.
 */
export function vectorColumn({ arrow }: Arrow, space: DenseSpace, vectors: readonly Float32Array[]): Data {
  const { dimensions } = space;
  const values = new Float16Array(vectors.length * dimensions);
  for (const [index, vector] of vectors.entries()) {
    if (vector.length !== dimensions) {
      throw new TypeError(`a vector of ${vector.length} dimensions in the space ${space.name} of ${dimensions}`);
    }
    values.set(vector, index * dimensions);
  }
  if (!values.every(Number.isFinite))
    throw new TypeError(`a vector in the space ${space.name} with values out of range`);
  const element = new arrow.Field("item", new arrow.Float16(), true);
  return arrow.makeData({
    type: new arrow.FixedSizeList(dimensions, element),
    length: vectors.length,
    nullCount: 0,
    child: arrow.makeData({
      type: element.type,
      length: values.length,
      nullCount: 0,
      data: new Uint16Array(values.buffer),
    }),
  });
}

/** Converts 16-bit floats, which Arrow returns as the integers with their bits. */
export function float32(bits: unknown): Float32Array {
  if (!(bits instanceof Uint16Array)) throw new TypeError("a dense row without its vectors");
  return new Float32Array(new Float16Array(bits.buffer, bits.byteOffset, bits.length));
}

export function textColumn({ arrow }: Arrow, values: readonly string[]): Data {
  return only(arrow.vectorFromArray(values, new arrow.Utf8()).data);
}

export function bytesColumn({ arrow }: Arrow, values: readonly Uint8Array[]): Data {
  return only(arrow.vectorFromArray(values, new arrow.Binary()).data);
}

function only([data]: readonly Data[]): Data {
  if (data === undefined) throw new Error("a column without data");
  return data;
}
