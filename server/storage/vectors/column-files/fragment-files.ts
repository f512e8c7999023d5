import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";
import { messageIn } from "../manifest.ts";
import { fieldsOf } from "../message-fields.ts";

/** Which file has a column of the rows of a fragment. */
export interface ColumnInFile {
  /** Beneath the table's folder. */
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  /** Its place among the columns of the file. */
  readonly column: number;
  /** With those that have been removed. */
  readonly rows: number;
}

/** Numbers of fields in Lance's `table.proto` and `file.proto`. */
const inManifest = { schema: 1, fragment: 2, version: 3, readerFlags: 9, basePath: 18, branch: 20 };
const inSchema = { name: 2, id: 3, parent: 4, type: 5 };
const inFragment = { id: 1, file: 2, deletions: 3, physicalRows: 4 };
const inFile = { path: 1, fields: 2, columns: 3, major: 4, minor: 5, size: 6 };

/** The only one that changes nothing of what is read here: rows may have been removed. With others an address may be something else. */
const deletionsFlag = 1;
/** Of data files. */
export const fileFormat = { major: 2, minor: 2 };

/**
 * The files that have a column of bytes in the version of a table that a manifest is of, by the numbers of fragments. Only what is written as is known here;
 * undefined if it is not the version, or one of a kind that is not known. Throws on what is no manifest.
 */
export function columnInFragments(
  manifest: Uint8Array,
  asked: { readonly version: number; readonly column: string },
): ReadonlyMap<number, ColumnInFile> | undefined {
  let version: number | undefined;
  let field: number | undefined;
  const fragments: Uint8Array[] = [];
  for (const { field: number, reader } of fieldsOf(messageIn(manifest))) {
    if (number === inManifest.version) version = Number(reader.uint64());
    else if (number === inManifest.schema) field ??= idOf(reader.bytes(), asked.column);
    else if (number === inManifest.fragment) fragments.push(reader.bytes());
    else if (number === inManifest.readerFlags && (Number(reader.uint64()) & ~deletionsFlag) !== 0) return undefined;
    // Files may be in another folder.
    else if (number === inManifest.basePath || number === inManifest.branch) return undefined;
  }
  if (version !== asked.version || field === undefined) return undefined;
  return new Map(fragments.flatMap((fragment) => columnOf(fragment, field) ?? []).map(({ id, ...file }) => [id, file]));
}

/** The id of a column, undefined if the schema's field is another one. */
function idOf(bytes: Uint8Array, column: string): number | undefined {
  let [name, id, parent, type] = ["", 0, 0, ""];
  for (const { field, reader } of fieldsOf(bytes)) {
    if (field === inSchema.name) name = reader.string();
    else if (field === inSchema.id) id = reader.int32();
    else if (field === inSchema.parent) parent = reader.int32();
    else if (field === inSchema.type) type = reader.string();
  }
  return name === column && parent === -1 && type === "binary" ? id : undefined;
}

/** Undefined of a fragment that is written otherwise. */
function columnOf(fragment: Uint8Array, wanted: number): (ColumnInFile & { readonly id: number }) | undefined {
  let [id, rows] = [0, 0];
  const files: Uint8Array[] = [];
  for (const { field, reader } of fieldsOf(fragment)) {
    if (field === inFragment.id) id = Number(reader.uint64());
    else if (field === inFragment.physicalRows) rows = Number(reader.uint64());
    else if (field === inFragment.file) files.push(reader.bytes());
    else if (field !== inFragment.deletions) return undefined;
  }
  const [file, ...others] = files.flatMap((each) => fileWith(each, wanted) ?? []);
  return file === undefined || others.length > 0 ? undefined : { ...file, rows, id };
}

function fileWith(bytes: Uint8Array, wanted: number): Omit<ColumnInFile, "rows"> | undefined {
  let [path, size, major, minor] = ["", 0, 0, 0];
  let fields: readonly number[] = [];
  let columns: readonly number[] = [];
  for (const { field, type, reader } of fieldsOf(bytes)) {
    if (field === inFile.path) path = reader.string();
    else if (field === inFile.size) size = Number(reader.uint64());
    else if (field === inFile.major) major = reader.uint32();
    else if (field === inFile.minor) minor = reader.uint32();
    else if (field === inFile.fields && type === WireType.LengthDelimited) fields = numbersIn(reader.bytes());
    else if (field === inFile.columns && type === WireType.LengthDelimited) columns = numbersIn(reader.bytes());
    else return undefined;
  }
  const column = columns[fields.indexOf(wanted)] ?? -1;
  const isKnown = major === fileFormat.major && minor === fileFormat.minor && /^[\w-]+\.lance$/.test(path);
  return isKnown && size > 0 && column >= 0 ? { path: `data/${path}`, size, column } : undefined;
}

function numbersIn(packed: Uint8Array): number[] {
  const reader = new BinaryReader(packed);
  const numbers: number[] = [];
  while (reader.pos < reader.len) numbers.push(reader.int32());
  return numbers;
}
