import { type DocumentKind, officeVariant } from "../domain/documents/kind.ts";
import type { ByteSource } from "../domain/documents/source.ts";
import { readXml, XmlError } from "./xml.ts";
import { damaged, type ZipDirectory, type ZipEntry } from "./zip/directory.ts";
import { readEntry } from "./zip/entry.ts";

/** The main part of an Office Open XML file. */
interface MainPart {
  /** The name of its entry. */
  readonly name: string;
  /** In lower case. */
  readonly contentType: string;
}

/** An Office file that drs reads. */
export interface OfficePackage {
  readonly kind: DocumentKind;
  readonly directory: ZipDirectory;
  readonly mainPart: string;
  /** Local name of the main part's root element. */
  readonly root: string;
}

export const contentTypesName = "[Content_Types].xml";
const relationshipsName = "_rels/.rels";
/** Maximum bytes of each of these two files: a thousand times their size in a document with thousands of parts. */
const maxListBytes = 2 ** 20;

/** Types of the relationship to the main part, as in ECMA-376: transitional and strict. */
const mainRelationships: readonly string[] = [
  "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument",
  "http://purl.oclc.org/ooxml/officeDocument/relationships/officeDocument",
];

/** Finds an entry by part name, without regard to case (ECMA-376 Part 2, 7.2.2.4). */
export function findEntry({ entries }: ZipDirectory, name: string): ZipEntry | undefined {
  const wanted = name.toLowerCase();
  return entries.find((entry) => entry.name.toLowerCase() === wanted);
}

/**
 * Finds the main part of an Office Open XML package by its relationships and content types (ECMA-376 Part 2, 7 and
 * 9); undefined if the relationships name none. Throws `ArchiveError`.
 */
export async function findMainPart(source: ByteSource, directory: ZipDirectory): Promise<MainPart | undefined> {
  const read = async (name: string): Promise<Uint8Array> => {
    const entry = findEntry(directory, name);
    if (entry === undefined) throw damaged(`its part ${name} is missing`);
    return readEntry(source, entry, { directory, maxBytes: maxListBytes });
  };
  const target = mainTarget(await read(relationshipsName));
  if (target === undefined) return undefined;
  const name = resolvePart("", target);
  const contentType = contentTypeOf(await read(contentTypesName), name);
  if (findEntry(directory, name) === undefined) throw damaged("its main part is missing");
  return { name, contentType };
}

/** Opens a container; returns undefined unless drs can read its main part. Throws `ArchiveError`. */
export async function openPackage(source: ByteSource, directory: ZipDirectory): Promise<OfficePackage | undefined> {
  const main = await findMainPart(source, directory);
  const variant = main && officeVariant(main.contentType);
  if (main === undefined || variant === undefined) return undefined;
  const { format, fileExt, mimeType, root } = variant;
  return { kind: { format, fileExt, mimeType }, directory, mainPart: main.name, root };
}

/** Returns the name, without a leading slash, of the part that a relationship of a part in `folder` refers to. */
export function resolvePart(folder: string, target: string): string {
  const parts = target.startsWith("/") ? [] : folder.split("/").filter((part) => part !== "");
  for (const part of target.replaceAll("\\", "/").split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return decoded(parts.join("/"));
}

/** Decodes a target, which is a URI, into a name in the container, which is not. */
function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    // A percent sign that escapes nothing is literal.
    return name;
  }
}

function mainTarget(bytes: Uint8Array): string | undefined {
  let target: string | undefined;
  readList(relationshipsName, bytes, (element) => {
    if (element.local !== "Relationship" || !mainRelationships.includes(element.value("Type"))) return;
    target ??= element.value("Target");
  });
  return target;
}

function contentTypeOf(bytes: Uint8Array, name: string): string {
  const wanted = `/${name}`.toLowerCase();
  const extension = /\.([^./]*)$/.exec(wanted)?.[1];
  let byName: string | undefined;
  let byExtension: string | undefined;
  readList(contentTypesName, bytes, (element) => {
    const type = element.value("ContentType");
    if (element.local === "Override" && element.value("PartName").toLowerCase() === wanted) byName ??= type;
    if (element.local === "Default" && element.value("Extension").toLowerCase() === extension) byExtension ??= type;
  });
  return (byName ?? byExtension ?? "").toLowerCase();
}

interface ListElement {
  readonly local: string;
  value(attribute: string): string;
}

function readList(name: string, bytes: Uint8Array, onElement: (element: ListElement) => void): void {
  try {
    readXml(bytes, ({ local, attributes }) =>
      onElement({ local, value: (attribute) => attributes[attribute]?.value ?? "" }),
    );
  } catch (cause) {
    if (!(cause instanceof XmlError)) throw cause;
    throw damaged(`its part ${name} cannot be read`, { cause });
  }
}
