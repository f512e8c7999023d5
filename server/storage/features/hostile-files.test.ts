import * as arrow from "apache-arrow";
import { Footer } from "apache-arrow/fb/footer";
import { Message } from "apache-arrow/fb/message";
import { MessageHeader } from "apache-arrow/fb/message-header";
import { RecordBatch } from "apache-arrow/fb/record-batch";
import { assert, asyncProperty, constantFrom, integer, nat } from "fast-check";
import { ByteBuffer } from "flatbuffers";
import { expect, test } from "vitest";
import { newDatasetId, newWorkspaceId } from "../../domain/ids.ts";
import { featureCodec } from "./codec.ts";
import { pack, spacesOfEachKind, vector } from "./testing/pack.ts";

const spaces = spacesOfEachKind.slice(0, 3);
const index = { datasetId: newDatasetId(), workspaceId: newWorkspaceId(), generation: "g" };
const late = [vector(1, 0, 0, 0), vector(0, 1, 0, 0)];
const page = (number: number) => ({
  page: number,
  spaces: [
    { space: "words", kind: "lexical" as const, words: `page ${number}` },
    { space: "text", kind: "dense" as const, vectors: [vector(1, 0, 0, 0), vector(0.6, 0.8, 0, 0)] },
    { space: "late", kind: "dense" as const, vectors: late, pooled: late.slice(0, 1) },
  ],
});
const whole = await featureCodec.encode(
  spaces,
  featureCodec.make(spaces, [page(1), page(2), { page: 3, spaces: [] }], index),
);
const decode = (bytes: Uint8Array) => featureCodec.decode(spaces, bytes, index);

/** Parts of a file by which it is changed; their places are in the bytes of `view`. */
function openFile(file: Uint8Array) {
  const bytes = new Uint8Array(file);
  const view = new DataView(bytes.buffer);
  const end = bytes.length - 10;
  const footerFrom = end - view.getInt32(end, true);
  const footer = Footer.getRootAsFooter(new ByteBuffer(bytes.subarray(footerFrom, end)));
  const block = footer.recordBatches(0);
  const messageFrom = Number(block?.offset()) + 8;
  const message = Message.getRootAsMessage(new ByteBuffer(bytes.subarray(messageFrom)));
  const batch: RecordBatch = message.header(new RecordBatch());
  const schema = footer.schema();
  if (schema === null || block === null) throw new Error("a file without a schema");
  const bodyFrom = messageFrom + block.metaDataLength() - 8;
  return { bytes, view, footer, footerFrom, schema, message, messageFrom, batch, bodyFrom };
}
type OpenFile = ReturnType<typeof openFile>;

interface FlatTable {
  readonly bb: ByteBuffer | null;
  readonly bb_pos: number;
}

/** The place of the value of a field of a table; `slot` as the accessors of the package number them. */
function placeOf({ bb, bb_pos }: FlatTable, slot: number): number {
  const offset = bb?.__offset(bb_pos, slot) ?? 0;
  if (offset === 0) throw new Error("a table without the field");
  return bb_pos + offset;
}

/** The place of the length of a vector of a table. */
function lengthPlaceOf(table: FlatTable, slot: number): number {
  const at = placeOf(table, slot);
  return at + (table.bb?.readInt32(at) ?? 0);
}

const many = 2 ** 31 - 1;
/** Buffers in the order of the columns: 0 and 1 are those of `page`, 2 to 4 of `words`, then `text` and `late`. */
const buffer = ({ batch }: OpenFile, at: number) => {
  const found = batch.buffers(at);
  if (found === null) throw new Error("no such buffer");
  return { place: found.bb_pos, offset: Number(found.offset()), length: Number(found.length()) };
};
/** The offsets of the lists of `late.vectors`. */
const listOffsets = 12;

const setBuffer = (file: OpenFile, at: number, how: { offset?: bigint; length?: bigint }) => {
  const { place } = buffer(file, at);
  if (how.offset !== undefined) file.view.setBigInt64(file.messageFrom + place, how.offset, true);
  if (how.length !== undefined) file.view.setBigInt64(file.messageFrom + place + 8, how.length, true);
};
const setOffsets = (file: OpenFile, at: number, values: readonly number[]) => {
  const from = file.bodyFrom + buffer(file, at).offset;
  for (const [index, value] of values.entries()) file.view.setInt32(from + 4 * index, value, true);
};
const setRows = (file: OpenFile, rows: bigint) => {
  file.view.setBigInt64(file.messageFrom + placeOf(file.batch, 4), rows, true);
  for (let at = 0; at < file.batch.nodesLength(); at++)
    file.view.setBigInt64(file.messageFrom + (file.batch.nodes(at)?.bb_pos ?? 0), rows, true);
};

test("the places are those of the file", async () => {
  const file = openFile(whole);
  const { offset, length } = buffer(file, listOffsets);
  const offsets = new Int32Array(file.bytes.buffer.slice(file.bodyFrom + offset, file.bodyFrom + offset + length));
  expect([...offsets].slice(0, 4)).toEqual([0, 2, 4, 4]);
  expect(file.batch.length()).toBe(3n);
  expect((await decode(file.bytes)).pages).toEqual([1, 2, 3]);
});

test.each<[string, (file: OpenFile) => void]>([
  ["more rows than bytes", (file) => setRows(file, 2n ** 31n)],
  ["more rows than there are numbers for", (file) => setRows(file, 2n ** 62n)],
  ["fewer rows than none", (file) => setRows(file, -1n)],
  [
    "other rows than its columns have",
    ({ view, messageFrom, batch }) => view.setBigInt64(messageFrom + placeOf(batch, 4), 2n, true),
  ],
  ["a buffer after its end", (file) => setBuffer(file, 1, { offset: 2n ** 40n })],
  ["a buffer before its begin", (file) => setBuffer(file, 1, { offset: -8n })],
  ["a buffer that ends after it", (file) => setBuffer(file, 15, { length: 2n ** 40n })],
  ["a buffer of a negative length", (file) => setBuffer(file, 1, { length: -8n })],
  ["a buffer too short for its values", (file) => setBuffer(file, 1, { length: 4n })],
  ["a buffer between the places of values", (file) => setBuffer(file, 1, { offset: 1n })],
  ["two buffers of the same bytes", (file) => setBuffer(file, 4, { offset: BigInt(buffer(file, 3).offset) })],
  ["lists that end after their values", (file) => setOffsets(file, listOffsets, [0, 2, 4, 5])],
  ["lists that begin before their values", (file) => setOffsets(file, listOffsets, [-2, 2, 4, 4])],
  ["lists that go back", (file) => setOffsets(file, listOffsets, [0, 4, 2, 4])],
  ["lists of more vectors than a page has", (file) => setOffsets(file, listOffsets, [0, 5_000, 5_000, 5_000])],
  ["texts that end after their bytes", (file) => setOffsets(file, 3, [0, 6, many, many])],
  ["texts that go back", (file) => setOffsets(file, 3, [0, 6, 2, 12])],
  [
    "more columns than bytes",
    ({ view, footerFrom, schema }) => view.setInt32(footerFrom + lengthPlaceOf(schema, 6), many, true),
  ],
  ["fewer columns", ({ view, footerFrom, schema }) => view.setInt32(footerFrom + lengthPlaceOf(schema, 6), 3, true)],
  [
    "more metadata than bytes",
    ({ view, footerFrom, schema }) => view.setInt32(footerFrom + lengthPlaceOf(schema, 8), many, true),
  ],
  [
    "more batches than bytes",
    ({ view, footerFrom, footer }) => view.setInt32(footerFrom + lengthPlaceOf(footer, 10), many, true),
  ],
  [
    "no nodes for its columns",
    ({ view, messageFrom, batch }) => view.setInt32(messageFrom + lengthPlaceOf(batch, 6), 0, true),
  ],
  // The reader of the Arrow package would look for a batch there forever.
  [
    "a schema for its batch",
    ({ view, messageFrom, message }) => view.setUint8(messageFrom + placeOf(message, 6), MessageHeader.Schema),
  ],
  [
    "nothing for its batch",
    ({ view, messageFrom, message }) => view.setUint8(messageFrom + placeOf(message, 6), MessageHeader.NONE),
  ],
  [
    "a batch longer than it",
    ({ view, messageFrom, message }) => view.setBigInt64(messageFrom + placeOf(message, 10), 2n ** 50n, true),
  ],
  ["a footer longer than it", ({ view, bytes }) => view.setInt32(bytes.length - 10, many, true)],
  ["a footer of a negative length", ({ view, bytes }) => view.setInt32(bytes.length - 10, -8, true)],
])("a file with %s is refused", async (_, change) => {
  const file = openFile(whole);
  change(file);
  await expect(decode(file.bytes)).rejects.toThrow(TypeError);
});

/** A file with other columns than those of the spaces. */
function fileWith(columns: Record<string, arrow.Vector>, metadata = { "drs.features": "1", "drs.pack": pack }) {
  const table = new arrow.Table(columns);
  const schema = new arrow.Schema(table.schema.fields, new Map(Object.entries(metadata)));
  return arrow.tableToIPC(new arrow.Table(schema, table.batches), "file");
}
const columns = (): Record<string, arrow.Vector> => {
  const table = arrow.tableFromIPC(whole);
  return Object.fromEntries(table.schema.fields.map(({ name }, at) => [name, table.getChildAt(at) as arrow.Vector]));
};

test("a file may have its columns in any order", async () => {
  const turned = fileWith(Object.fromEntries(Object.entries(columns()).toReversed()));
  expect(await decode(turned)).toEqual(await decode(whole));
});

test.each<[string, () => Uint8Array, RegExp]>([
  ["of another pack", () => fileWith(columns(), { "drs.features": "1", "drs.pack": "other@1" }), /another model pack/],
  ["of a later format", () => fileWith(columns(), { "drs.features": "2", "drs.pack": pack }), /another format/],
  ["of no features", () => fileWith(columns(), { "drs.features": "", "drs.pack": "" }), /another format/],
  ["with a column more", () => fileWith({ ...columns(), more: arrow.vectorFromArray([1, 2, 3]) }), /7 columns/],
  ["with a dictionary", () => fileWith({ ...columns(), words: arrow.vectorFromArray(["a", "b", "a"]) }), /words/],
  [
    "with numbers for words",
    () => fileWith({ ...columns(), words: arrow.vectorFromArray([1, 2, 3], new arrow.Int32()) }),
    /words/,
  ],
  [
    "with wide numbers of pages",
    () => fileWith({ ...columns(), page: arrow.vectorFromArray([1n, 2n, 3n], new arrow.Int64()) }),
    /page/,
  ],
  [
    "with a page without a number",
    () => fileWith({ ...columns(), page: arrow.vectorFromArray([1, null, 3], new arrow.Int32()) }),
    /page/,
  ],
  [
    "with a page twice",
    () => fileWith({ ...columns(), page: arrow.vectorFromArray([1, 2, 1], new arrow.Int32()) }),
    /not unique positive integers/,
  ],
  [
    "with a page 0",
    () => fileWith({ ...columns(), page: arrow.vectorFromArray([1, 2, 0], new arrow.Int32()) }),
    /not unique positive integers/,
  ],
  [
    "of two batches",
    () => {
      const { schema, batches } = arrow.tableFromIPC(whole);
      return arrow.tableToIPC(new arrow.Table(schema, [...batches, ...batches]), "file");
    },
    /one record batch/,
  ],
  ["in the form of a stream", () => arrow.tableToIPC(arrow.tableFromIPC(whole), "stream"), /no Arrow IPC file/],
])("a file %s is refused", async (_, make, said) => {
  await expect(decode(make())).rejects.toThrow(said);
});

test("vectors of other dimensions are refused", async () => {
  const others = spaces.map((space) => (space.kind === "dense" ? { ...space, dimensions: 8 } : space));
  await expect(featureCodec.decode(others, whole, index)).rejects.toThrow(/text.first.* type FixedSizeList\[8\]/);
});

test("a file that is cut off anywhere is refused", async () => {
  for (let length = 0; length < whole.length; length++)
    await expect(decode(whole.slice(0, length))).rejects.toThrow(TypeError);
});

test("whatever is changed in a file, it is refused or has no more than its bytes can hold", async () => {
  let refused = 0;
  const value = constantFrom(0, 1, -1, 2, 8, 0x7f, 0xff, 0xffff, 100_000, 2 ** 24, many, -many);
  await assert(
    asyncProperty(nat({ max: whole.length - 4 }), value, integer({ min: 1, max: 4 }), async (at, number, width) => {
      const bytes = new Uint8Array(whole);
      const source = new Uint8Array(Int32Array.of(number).buffer, 0, width);
      bytes.set(source, at);
      try {
        const { pages, rows } = await decode(bytes);
        const held = [...rows.values()].flat().map((row) => ("vectors" in row ? row.vectors.length : 1));
        expect(pages.length + held.reduce((one, other) => one + other, 0)).toBeLessThan(whole.length);
      } catch (cause) {
        expect(cause).toBeInstanceOf(TypeError);
        refused += 1;
      }
    }),
    { numRuns: 5_000 },
  );
  expect(refused).toBeGreaterThan(500);
});
