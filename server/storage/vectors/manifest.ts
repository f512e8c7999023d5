import { BinaryWriter } from "@bufbuild/protobuf/wire";
import { fieldsOf } from "./message-fields.ts";

/**
 * The manifest of one version of a table: which files its rows and indices are in. Only what drs needs to tell whether these
 * files are there, and to write a manifest without those that are not. The format is Lance's (docs.lancedb.com and
 * `protos/table.proto` of lancedb/lance): sections of other things, the message with its length before it, its position,
 * the format's version and the mark `LANC`.
 */
export interface Manifest {
  readonly version: number;
  readonly fragments: readonly Fragment[];
  readonly indices: readonly IndexFiles[];
}

/** Rows that were written together. */
export interface Fragment {
  readonly id: number;
  /** With those that have been removed. */
  readonly physicalRows: number;
  /** Without them. */
  readonly rows: number;
  readonly files: readonly TableFile[];
}

export interface IndexFiles {
  readonly name: string;
  readonly files: readonly TableFile[];
}

export interface TableFile {
  /** Beneath the table's folder. */
  readonly path: string;
  /** Bytes; undefined where the manifest does not say. */
  readonly size: number | undefined;
}

/** What Lance's files end in. */
export const fileMark = "LANC";
/** Position, major and minor number of the format, mark. */
const footerBytes = 16;

/** Numbers of fields in Lance's `table.proto`. */
const inManifest = { fragment: 2, version: 3, indexSection: 6, transactionFile: 12, transactionSection: 21 };
const inFragment = { id: 1, file: 2, deletionFile: 3, physicalRows: 4 };
const inDataFile = { path: 1, size: 6 };
const inDeletionFile = { type: 1, readVersion: 2, id: 3, deletedRows: 4 };
const inIndexSection = { index: 1 };
const inIndex = { uuid: 1, name: 3, file: 10 };
const inUuid = { bytes: 1 };
const inIndexFile = { path: 1, size: 2 };

/** What the versions of the format are called in `_versions`: the newest comes first in the order of names. */
export const manifestName = (version: number): string => `${2n ** 64n - 1n - BigInt(version)}.manifest`;

/** The version that a file of `_versions` is the manifest of; undefined if it is none. */
export function versionOf(name: string): number | undefined {
  const number = /^(\d{20})\.manifest$/.exec(name)?.[1];
  return number === undefined ? undefined : Number(2n ** 64n - 1n - BigInt(number));
}

/** The message of a manifest. Throws if the bytes are not those of a whole one. */
const messageIn = (bytes: Uint8Array): Uint8Array => messageAt(bytes, positionOf(bytes));

/** Throws if the bytes are not those of a whole manifest. */
export function readManifest(bytes: Uint8Array): Manifest {
  let version: number | undefined;
  let indices: readonly IndexFiles[] = [];
  const fragments: Fragment[] = [];
  for (const { field, reader } of fieldsOf(messageIn(bytes))) {
    if (field === inManifest.fragment) fragments.push(readFragment(reader.bytes()));
    else if (field === inManifest.version) version = Number(reader.uint64());
    else if (field === inManifest.indexSection) indices = readIndices(messageAt(bytes, Number(reader.uint64())));
  }
  if (version === undefined) throw new Error("a manifest without a version");
  return { version, fragments, indices };
}

/** What a version is to be written again without. */
interface LeftOut {
  readonly fragments: ReadonlySet<number>;
  /** By name. */
  readonly indices: ReadonlySet<string>;
}

/**
 * The same table as another version, without some of what it has. The transaction that made the old version is not that of
 * the new one, and is not named.
 */
export function rewriteManifest(bytes: Uint8Array, version: number, leftOut: LeftOut): Uint8Array {
  const position = positionOf(bytes);
  const writer = new BinaryWriter();
  let before = bytes.subarray(0, position);
  for (const { field, type, reader } of fieldsOf(messageAt(bytes, position))) {
    if (field === inManifest.version) {
      reader.skip(type);
      writer.tag(field, type).uint64(version);
    } else if (field === inManifest.fragment) {
      const fragment = reader.bytes();
      if (!leftOut.fragments.has(readFragment(fragment).id)) writer.tag(field, type).bytes(fragment);
    } else if (field === inManifest.indexSection) {
      const section = withoutIndices(messageAt(bytes, Number(reader.uint64())), leftOut.indices);
      writer.tag(field, type).uint64(before.length);
      before = Buffer.concat([before, withLength(section)]);
    } else {
      const raw = reader.skip(type);
      const isOfTransaction = field === inManifest.transactionFile || field === inManifest.transactionSection;
      if (!isOfTransaction) writer.tag(field, type).raw(raw);
    }
  }
  const footer = Buffer.from(bytes.subarray(bytes.length - footerBytes));
  footer.writeBigUInt64LE(BigInt(before.length));
  return Buffer.concat([before, withLength(writer.finish()), footer]);
}

function withoutIndices(section: Uint8Array, names: ReadonlySet<string>): Uint8Array {
  const writer = new BinaryWriter();
  for (const { field, type, reader } of fieldsOf(section)) {
    if (field === inIndexSection.index) {
      const index = reader.bytes();
      if (!names.has(readIndex(index).name)) writer.tag(field, type).bytes(index);
    } else {
      writer.tag(field, type).raw(reader.skip(type));
    }
  }
  return writer.finish();
}

function withLength(message: Uint8Array): Uint8Array {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(message.length);
  return Buffer.concat([length, message]);
}

function readFragment(bytes: Uint8Array): Fragment {
  let [id, physicalRows, deletedRows] = [0, 0, 0];
  const files: TableFile[] = [];
  let deletions: Uint8Array | undefined;
  for (const { field, reader } of fieldsOf(bytes)) {
    if (field === inFragment.id) id = Number(reader.uint64());
    else if (field === inFragment.physicalRows) physicalRows = Number(reader.uint64());
    else if (field === inFragment.file) files.push(readFile("data", reader.bytes(), inDataFile));
    else if (field === inFragment.deletionFile) deletions = reader.bytes();
  }
  if (deletions !== undefined) {
    let [type, readVersion, name] = [0, 0n, 0n];
    for (const { field, reader } of fieldsOf(deletions)) {
      if (field === inDeletionFile.type) type = reader.int32();
      else if (field === inDeletionFile.readVersion) readVersion = BigInt(reader.uint64());
      else if (field === inDeletionFile.id) name = BigInt(reader.uint64());
      else if (field === inDeletionFile.deletedRows) deletedRows = Number(reader.uint64());
    }
    const ending = type === 0 ? "arrow" : "bin";
    files.push({ path: `_deletions/${id}-${readVersion}-${name}.${ending}`, size: undefined });
  }
  return { id, physicalRows, rows: physicalRows - deletedRows, files };
}

function readIndices(section: Uint8Array): IndexFiles[] {
  const indices: IndexFiles[] = [];
  for (const { field, reader } of fieldsOf(section)) {
    if (field === inIndexSection.index) indices.push(readIndex(reader.bytes()));
  }
  return indices;
}

function readIndex(bytes: Uint8Array): IndexFiles {
  let [uuid, name] = ["", ""];
  const files: Uint8Array[] = [];
  for (const { field, reader } of fieldsOf(bytes)) {
    if (field === inIndex.uuid) uuid = readUuid(reader.bytes());
    else if (field === inIndex.name) name = reader.string();
    else if (field === inIndex.file) files.push(reader.bytes());
  }
  return { name, files: files.map((file) => readFile(`_indices/${uuid}`, file, inIndexFile)) };
}

function readUuid(bytes: Uint8Array): string {
  for (const { field, reader } of fieldsOf(bytes)) {
    if (field !== inUuid.bytes) continue;
    const digits = Buffer.from(reader.bytes()).toString("hex");
    return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
  }
  throw new Error("an index without a name");
}

function readFile(folder: string, bytes: Uint8Array, fields: { path: number; size: number }): TableFile {
  let path: string | undefined;
  let size = 0;
  for (const { field, reader } of fieldsOf(bytes)) {
    if (field === fields.path) path = reader.string();
    else if (field === fields.size) size = Number(reader.uint64());
  }
  if (path === undefined) throw new Error("a file without a path");
  return { path: `${folder}/${path}`, size: size === 0 ? undefined : size };
}

function positionOf(bytes: Uint8Array): number {
  const end = bytes.length;
  const isWhole = end >= footerBytes && Buffer.from(bytes.subarray(end - fileMark.length)).toString() === fileMark;
  if (!isWhole) throw new Error("a manifest without its end");
  return Number(viewOf(bytes).getBigUint64(end - footerBytes, true));
}

/** A message with its length before it. */
function messageAt(bytes: Uint8Array, position: number): Uint8Array {
  const length = viewOf(bytes).getUint32(position, true);
  const from = position + 4;
  if (from + length > bytes.length) throw new Error("a manifest with a part beyond its end");
  return bytes.subarray(from, from + length);
}

const viewOf = ({ buffer, byteOffset, byteLength }: Uint8Array): DataView =>
  new DataView(buffer, byteOffset, byteLength);
