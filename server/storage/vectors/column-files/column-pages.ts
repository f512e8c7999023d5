import { BinaryReader, BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { fileMark } from "../manifest.ts";
import { fieldsOf } from "../message-fields.ts";
import { fileFormat } from "./fragment-files.ts";

/**
 * Values of bytes of rows that follow one another in a file of Lance (lance.org, `protos/file2.proto` and `protos/encodings_v2_1.proto`
 * of lancedb/lance), in the layout that it calls full zip: each value with its length before it, and where each begins.
 */
export interface ColumnPage {
  /** Counted from 0 in the file. */
  readonly firstRow: number;
  readonly rows: number;
  readonly values: Extent;
  /** Of as many numbers of so many bytes as there are rows, and one: where in the values each begins, and where the last one ends. */
  readonly offsets: Extent & { readonly width: OffsetWidth };
}

/** Bytes of a file. */
export interface Extent {
  readonly position: number;
  readonly size: number;
}

export type OffsetWidth = 1 | 2 | 4;

/** Before each value. */
export const lengthBytes = 4;

/** Gives exactly the bytes that are asked for, or throws. */
export type ReadBytes = (extent: Extent) => Promise<Buffer>;

/** Positions of columns' metadata, of the table of these, of two more; numbers of other buffers and columns; version, mark. */
const footerBytes = 40;
const inFooter = { columnTable: 8, columns: 28, major: 32, minor: 34, mark: 36 };
const columnTableEntry = 16;
/** Larger metadata are not of a table of drs, nor larger lists of offsets: 8,192 rows or 8 MB make a page. */
const maxMetadataBytes = 2 ** 22;
const maxOffsetsBytes = 2 ** 22;

/** Numbers of fields in `file2.proto`. */
const inColumn = { encoding: 1, page: 2 };
const inPage = { positions: 1, sizes: 2, rows: 3, encoding: 4, priority: 5 };

/**
 * Of a column of a file those pages that are written as is known here. Throws if the file is of another format, or damaged where
 * that can be seen.
 */
export async function readColumnPages(
  read: ReadBytes,
  file: { readonly size: number; readonly column: number; readonly rows: number },
): Promise<readonly ColumnPage[]> {
  const footer = await read({ position: file.size - footerBytes, size: footerBytes });
  const isKnown =
    footer.toString("latin1", inFooter.mark) === fileMark &&
    footer.readUInt16LE(inFooter.major) === fileFormat.major &&
    footer.readUInt16LE(inFooter.minor) === fileFormat.minor;
  if (!isKnown || file.column >= footer.readUInt32LE(inFooter.columns)) throw new Error("a file of another format");
  const table = Number(footer.readBigUInt64LE(inFooter.columnTable));
  const entry = await read(within(file, table + file.column * columnTableEntry, columnTableEntry));
  const [position, size] = [entry.readBigUInt64LE(), entry.readBigUInt64LE(8)].map(Number);
  const metadata = within(file, position, size);
  if (metadata.size > maxMetadataBytes) throw new Error("a column with very large metadata");
  return pagesIn(await read(metadata), file);
}

function pagesIn(column: Uint8Array, file: { readonly size: number; readonly rows: number }): readonly ColumnPage[] {
  const pages: ColumnPage[] = [];
  let rows = 0;
  for (const { field, reader } of fieldsOf(column)) {
    if (field === inColumn.encoding) {
      if (!isSame(reader.bytes(), plainColumn)) throw new Error("a column of another encoding");
    } else if (field === inColumn.page) {
      const page = readPage(reader.bytes());
      if (page.isKnown) pages.push(placed(page, rows, file));
      rows += page.rows;
    } else throw new Error("a column with something else");
  }
  // Removed rows keep their places.
  if (rows !== file.rows) throw new Error(`a column of ${rows} rows instead of ${file.rows}`);
  return pages;
}

interface ReadPage {
  readonly rows: number;
  readonly positions: readonly number[];
  readonly sizes: readonly number[];
  readonly isKnown: boolean;
}

function readPage(bytes: Uint8Array): ReadPage {
  let rows = 0;
  let isKnown = true;
  let encoding: Uint8Array = new Uint8Array();
  let positions: readonly number[] = [];
  let sizes: readonly number[] = [];
  for (const { field, type, reader } of fieldsOf(bytes)) {
    if (field === inPage.rows) rows = reader.uint32();
    else if (field === inPage.encoding) encoding = reader.bytes();
    else if (field === inPage.positions && type === WireType.LengthDelimited) positions = numbersIn(reader.bytes());
    else if (field === inPage.sizes && type === WireType.LengthDelimited) sizes = numbersIn(reader.bytes());
    else if (field !== inPage.priority) isKnown = false;
  }
  isKnown &&= positions.length === 2 && sizes.length === 2 && isSame(encoding, fullZip(rows));
  return { rows, positions, sizes, isKnown };
}

function placed({ rows, positions, sizes }: ReadPage, firstRow: number, file: { readonly size: number }): ColumnPage {
  const values = within(file, positions[0], sizes[0]);
  const offsets = within(file, positions[1], sizes[1]);
  const width = offsets.size / (rows + 1);
  const isKnown = width === 1 || width === 2 || width === 4;
  if (!isKnown || offsets.size > maxOffsetsBytes) throw new Error(`${offsets.size} bytes of offsets of ${rows} rows`);
  return { firstRow, rows, values, offsets: { ...offsets, width } };
}

/** Throws if it is not in the file. */
function within(file: { readonly size: number }, position = Number.NaN, size = Number.NaN): Extent {
  if (position >= 0 && size >= 0 && position + size <= file.size) return { position, size };
  throw new Error(`${size} bytes at ${position} of a file of ${file.size}`);
}

function numbersIn(packed: Uint8Array): number[] {
  const reader = new BinaryReader(packed);
  const numbers: number[] = [];
  while (reader.pos < reader.len) numbers.push(Number(reader.uint64()));
  return numbers;
}

/**
 * What says how something is written is compared as a whole with what says what is known here: whatever a later version of Lance adds
 * is something else then, without being understood.
 */
const isSame = (one: Uint8Array, other: Uint8Array): boolean => Buffer.compare(one, other) === 0;

/** `Encoding`, with a message of this type in it. */
function encodingOf(type: string, write: (writer: BinaryWriter) => BinaryWriter): Uint8Array {
  const writer = new BinaryWriter().tag(2, WireType.LengthDelimited).fork().tag(1, WireType.LengthDelimited).fork();
  writer.tag(1, WireType.LengthDelimited).string(`/${type}`);
  write(writer.tag(2, WireType.LengthDelimited).fork()).join();
  return writer.join().join().finish();
}

/** `ColumnEncoding` with nothing but its values. */
const plainColumn = encodingOf("lance.encodings.ColumnEncoding", (writer) =>
  writer.tag(1, WireType.LengthDelimited).bytes(new Uint8Array()),
);

/**
 * `PageLayout` of type full zip: no levels, offsets of 32 bits, as many items, all of them visible, as there are rows, values of varying
 * length that are not compressed, all of them there.
 */
const fullZip = (rows: number): Uint8Array =>
  encodingOf("lance.encodings21.PageLayout", (writer) => {
    const zip = writer.tag(3, WireType.LengthDelimited).fork();
    zip.tag(4, WireType.Varint).uint32(32).tag(5, WireType.Varint).uint32(rows).tag(6, WireType.Varint).uint32(rows);
    const variable = zip.tag(7, WireType.LengthDelimited).fork().tag(2, WireType.LengthDelimited).fork();
    const flat = variable.tag(1, WireType.LengthDelimited).fork().tag(1, WireType.LengthDelimited).fork();
    flat.tag(1, WireType.Varint).uint64(32).join().join().join().join();
    return zip.tag(8, WireType.LengthDelimited).bytes(Uint8Array.of(1)).join();
  });
