import { type Data, DataType, type Field, makeData } from "apache-arrow";
import type { RecordBatch } from "apache-arrow/fb/record-batch";

/** Maximum number of rows; no document has more pages. */
const maxRows = 100_000;
/** Maximum number of vectors of a page: more than late interaction computes for a large picture. */
const maxListLength = 4_096;
const alignment = 8;

export interface WrittenBatch {
  readonly batch: RecordBatch;
  /** The bytes that contain its buffers. */
  readonly body: Uint8Array;
}

interface Node {
  readonly length: number;
  readonly hasNulls: boolean;
}

/**
 * Reads the columns of a record batch with the types of `columns`. Throws `TypeError` unless all buffers lie within the
 * body and none overlap. The decoded data is therefore at most a few times as large as the file.
 */
export function readBatch(
  { batch, body }: WrittenBatch,
  columns: readonly Field[],
): { readonly length: number; readonly children: Data[] } {
  const length = Number(batch.length());
  if (length < 0 || length > maxRows) throw new TypeError(`a file of ${length} rows`);
  if (batch.compression() !== null) throw new TypeError("a compressed file");
  const next = { node: nodesOf(batch), buffer: buffersOf({ batch, body }) };

  function load(type: DataType, { length, hasNulls }: Node): Data {
    const bits = next.buffer(hasNulls ? Math.ceil(length / 8) : 0);
    const rows = { length, ...(hasNulls ? { nullCount: -1, nullBitmap: bits } : { nullCount: 0 }) };
    if (DataType.isInt(type)) return makeData({ type, ...rows, data: next.buffer(length * 4) });
    if (DataType.isFloat(type)) return makeData({ type, ...rows, data: next.buffer(length * 2) });
    if (DataType.isUtf8(type) || DataType.isBinary(type)) {
      const valueOffsets = offsetsIn(next.buffer(offsetBytes(length)));
      const data = next.buffer(valueOffsets.at(-1) ?? 0);
      return DataType.isUtf8(type)
        ? makeData({ type, ...rows, valueOffsets, data })
        : makeData({ type, ...rows, valueOffsets, data });
    }
    if (DataType.isList(type)) {
      const valueOffsets = offsetsIn(next.buffer(offsetBytes(length)), maxListLength);
      const child = loadWhole(type.valueType, next.node(valueOffsets.at(-1) ?? 0));
      return makeData({ type, ...rows, valueOffsets, child });
    }
    if (!DataType.isFixedSizeList(type)) throw new TypeError("a column of a type that features do not have");
    const child = loadWhole(type.valueType, next.node(length * type.listSize));
    return makeData({ type, ...rows, child });
  }

  function loadWhole(type: DataType, node: Node): Data {
    if (node.hasNulls) throw new TypeError("a file with values that are null inside of lists");
    return load(type, node);
  }

  const children = columns.map(({ name, type, nullable }) => {
    const node = next.node(length);
    if (node.hasNulls && !nullable) throw new TypeError(`a column ${name} with nulls`);
    return load(type, node);
  });
  return { length, children };
}

/** Returns a function that returns the next node on each call, after checking its number of values. */
function nodesOf(batch: RecordBatch): (length: number) => Node {
  let at = 0;
  return (length) => {
    const node = at < batch.nodesLength() ? batch.nodes(at++) : null;
    if (Number(node?.length()) !== length)
      throw new TypeError(`a file with ${Number(node?.length() ?? 0)} values where ${length} should be`);
    return { length, hasNulls: Number(node?.nullCount()) !== 0 };
  };
}

/** Returns a function that returns the next buffer on each call, cut to the given number of bytes. */
function buffersOf({ batch, body }: WrittenBatch): (bytes: number) => Uint8Array {
  let [at, end] = [0, 0];
  return (bytes) => {
    const buffer = at < batch.buffersLength() ? batch.buffers(at++) : null;
    const [from, length] = [Number(buffer?.offset()), Number(buffer?.length())];
    if (!(from >= end && from % alignment === 0 && length >= bytes && from + length <= body.length))
      throw new TypeError("a file with a buffer outside of its bytes, or too short for its values");
    end = from + length;
    return body.subarray(from, from + bytes);
  };
}

/** Returns the bytes of the offsets: one more than there are values. Arrow allows no offsets if there are no values. */
const offsetBytes = (length: number): number => (length === 0 ? 0 : 4 * (length + 1));

/** Checks the offsets, which say where each value begins and where the last one ends. */
function offsetsIn(bytes: Uint8Array, maxLength = Infinity): Int32Array {
  const offsets = new Int32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4);
  if ((offsets[0] ?? 0) < 0) throw new TypeError("a list that begins before its values");
  for (let at = 1; at < offsets.length; at++) {
    const length = (offsets[at] ?? 0) - (offsets[at - 1] ?? 0);
    if (length < 0 || length > maxLength) throw new TypeError(`a list of ${length} values`);
  }
  return offsets;
}
