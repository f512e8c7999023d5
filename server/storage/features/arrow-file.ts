import { type Data, DataType, type Field, makeData, RecordBatch as Batch, Schema, Struct, Table } from "apache-arrow";
import type { Field as WrittenField } from "apache-arrow/fb/field";
import { FixedSizeList } from "apache-arrow/fb/fixed-size-list";
import { FloatingPoint } from "apache-arrow/fb/floating-point";
import { Footer } from "apache-arrow/fb/footer";
import { Int } from "apache-arrow/fb/int";
import { Message } from "apache-arrow/fb/message";
import { MessageHeader } from "apache-arrow/fb/message-header";
import { RecordBatch } from "apache-arrow/fb/record-batch";
import type { Schema as WrittenSchema } from "apache-arrow/fb/schema";
import { ByteBuffer } from "flatbuffers";
import { readBatch, type WrittenBatch } from "./arrow-batch.ts";

const magic = "ARROW1";
/** Bytes after the footer: its length and the magic. */
const endBytes = 4 + magic.length;
/** Maximum bytes of the footer and of a message before a batch; both need about 100 bytes per column. */
const maxMetadataBytes = 65_536;
/** Maximum number of entries of the schema's metadata. */
const maxEntries = 16;
/** Alignment of buffers in bytes. */
const alignment = 8;

/**
 * Reads an Arrow IPC file of one record batch from an untrusted source. `columnsOf` receives the metadata of the file
 * and returns the columns that it must have, in any order. Throws `TypeError` on any other file. The reader of the
 * Arrow package trusts the counts in a file, such as those of rows and fields, and may then allocate unbounded memory
 * or never return. This reader uses a count only if the bytes of the file confirm it.
 */
export function readArrowFile(
  bytes: Uint8Array,
  columnsOf: (metadata: ReadonlyMap<string, string>) => readonly Field[],
): Table {
  try {
    const aligned = bytes.byteOffset % alignment === 0 ? bytes : bytes.slice();
    const footer = readFooter(aligned);
    const written = footer.schema();
    if (written === null) throw new TypeError("a file without a schema");
    const metadata = metadataOf(written);
    const columns = columnsIn(written, columnsOf(metadata));
    const { length, children } = readBatch(onlyBatch(aligned, footer), columns);
    return tableOf(new Schema(columns, metadata), length, children);
  } catch (cause) {
    if (cause instanceof TypeError) throw cause;
    throw new TypeError("bytes that are no Arrow IPC file", { cause });
  }
}

function tableOf(schema: Schema, length: number, children: Data[]): Table {
  const data = makeData({ type: new Struct(schema.fields), length, nullCount: 0, children });
  return new Table(schema, new Batch(schema, data));
}

function readFooter(bytes: Uint8Array): Footer {
  const isMagic = (at: number): boolean => Buffer.from(bytes.subarray(at, at + magic.length)).toString() === magic;
  const end = bytes.length - endBytes;
  if (end < magic.length || !isMagic(0) || !isMagic(bytes.length - magic.length))
    throw new TypeError("bytes that are no Arrow IPC file");
  const length = viewOf(bytes).getInt32(end, true);
  return Footer.getRootAsFooter(new ByteBuffer(metadataAt(bytes, end - length, length)));
}

/** Reads the bytes of a footer or a message. */
function metadataAt(bytes: Uint8Array, from: number, length: number): Uint8Array {
  if (length > 0 && length <= maxMetadataBytes && from >= 0 && from + length <= bytes.length)
    return bytes.subarray(from, from + length);
  throw new TypeError("a file that ends before its metadata, or has too much of them");
}

function metadataOf(schema: WrittenSchema): Map<string, string> {
  const count = schema.customMetadataLength();
  if (count > maxEntries) throw new TypeError(`a schema with ${count} entries of metadata`);
  const entries = Array.from({ length: count }, (_, at) => schema.customMetadata(at));
  return new Map(entries.map((entry) => [entry?.key() ?? "", entry?.value() ?? ""]));
}

/** Returns the columns, in the order of the file. */
function columnsIn(schema: WrittenSchema, wanted: readonly Field[]): Field[] {
  const missing = new Map(wanted.map((field) => [field.name, field]));
  const count = schema.fieldsLength();
  const columns: Field[] = [];
  while (columns.length < Math.min(count, wanted.length)) {
    const written = schema.fields(columns.length);
    const field = missing.get(written?.name() ?? "");
    if (written === null || field === undefined) break;
    if (!isOfType(written, field.type))
      throw new TypeError(`a column ${field.name} that is not of the type ${String(field.type)}`);
    missing.delete(field.name);
    columns.push(field);
  }
  const [lacking] = missing.keys();
  if (lacking !== undefined) throw new TypeError(`features without the column ${lacking}`);
  if (count !== columns.length) throw new TypeError(`a file with ${count} columns instead of ${columns.length}`);
  return columns;
}

/** Compares types by their numbers, which are the same in files and in the package. */
function isOfType(field: WrittenField, type: DataType): boolean {
  const [written, wanted]: number[] = [field.typeType(), type.typeId];
  if (written !== wanted || field.dictionary() !== null) return false;
  if (DataType.isInt(type)) {
    const int: Int | null = field.type(new Int());
    return int?.bitWidth() === type.bitWidth && int.isSigned() === type.isSigned;
  }
  if (DataType.isFloat(type)) {
    const float: FloatingPoint | null = field.type(new FloatingPoint());
    const [found, should]: (number | undefined)[] = [float?.precision(), type.precision];
    return found === should;
  }
  if (DataType.isFixedSizeList(type)) {
    const list: FixedSizeList | null = field.type(new FixedSizeList());
    if (list?.listSize() !== type.listSize) return false;
  }
  const children: readonly Field[] = type.children ?? [];
  if (field.childrenLength() !== children.length) return false;
  return children.every((child, at) => {
    const found = field.children(at);
    return found !== null && isOfType(found, child.type);
  });
}

/** Returns the only batch of the file, still to be read, and the bytes that contain its buffers. */
function onlyBatch(bytes: Uint8Array, footer: Footer): WrittenBatch {
  const block = footer.recordBatchesLength() === 1 ? footer.recordBatches(0) : null;
  if (block === null || footer.dictionariesLength() !== 0)
    throw new TypeError("a file that is not of one record batch without dictionaries");
  const from = Number(block.offset());
  if (from < 0 || from % alignment !== 0 || from + 2 * 4 > bytes.length)
    throw new TypeError("a record batch outside the file");
  const view = viewOf(bytes);
  // In old versions of the format, a message starts with its length, without a marker.
  const isMarked = view.getInt32(from, true) === -1;
  const start = from + (isMarked ? 8 : 4);
  const length = view.getInt32(start - 4, true);
  const message = Message.getRootAsMessage(new ByteBuffer(metadataAt(bytes, start, length)));
  const batch: RecordBatch | null = message.header(new RecordBatch());
  if (message.headerType() !== MessageHeader.RecordBatch || batch === null)
    throw new TypeError("a record batch that is none");
  const bodyFrom = start + length;
  const bodyBytes = Number(message.bodyLength());
  if (bodyFrom % alignment !== 0 || bodyBytes < 0 || bodyFrom + bodyBytes > bytes.length)
    throw new TypeError("a record batch that ends after the file");
  return { batch, body: bytes.subarray(bodyFrom, bodyFrom + bodyBytes) };
}

const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
