import { type DocumentKind, officeVariant, pdfKind, uploadAdvice } from "../domain/documents/kind.ts";
import { type ByteSource, type DocumentFormats, identifyBytes } from "../domain/documents/source.ts";
import { unsupported } from "../domain/errors.ts";
import { compoundNames } from "./compound.ts";
import { contentTypesName, findEntry, findMainPart } from "./package.ts";
import { containerOf } from "./signatures.ts";
import { ArchiveError, readDirectory, type ZipDirectory } from "./zip/directory.ts";
import { readEntry } from "./zip/entry.ts";

/** Implements `DocumentFormats.identify`. Reads at most about 6 MB, and unpacks only the lists of parts. */
export async function identifyDocument(source: ByteSource): Promise<DocumentKind> {
  const container = containerOf(await source.read(0, identifyBytes));
  if (container === "pdf") return pdfKind;
  if (container === "compound")
    throw unsupported(describeCompound(await compoundNames(source)), { reason: "FORMAT_UNSUPPORTED" });
  try {
    return await identifyZip(source);
  } catch (cause) {
    if (cause instanceof ArchiveError) throw unsupported(refusal(cause), { reason: "FORMAT_UNSUPPORTED" });
    throw cause;
  }
}

async function identifyZip(source: ByteSource): Promise<DocumentKind> {
  const directory = await readDirectory(source);
  if (findEntry(directory, contentTypesName) === undefined) {
    throw unsupported(await describeOtherZip(source, directory), { reason: "FORMAT_UNSUPPORTED" });
  }
  const main = await findMainPart(source, directory);
  const variant = main && officeVariant(main.contentType);
  if (variant === undefined)
    throw unsupported(describePackage(main?.contentType ?? ""), { reason: "FORMAT_UNSUPPORTED" });
  return { format: variant.format, fileExt: variant.fileExt, mimeType: variant.mimeType };
}

function refusal({ fault, message }: ArchiveError): string {
  if (fault === "encrypted") return locked;
  if (fault === "limit") return `the file cannot be accepted: ${message}; split it and upload the parts`;
  return `the file is a damaged Office document or zip archive: ${message}; check the file, or save it again and upload that`;
}

const locked = "the document is protected by a password; remove the protection and upload it again";

/** Describes packages that are not documents, or that are not in XML. */
function describePackage(contentType: string): string {
  if (contentType.includes("thememanager")) {
    return `the file is an Office theme, without a document in it, whatever its name says; ${uploadAdvice}`;
  }
  if (contentType.includes("sheet.binary")) {
    return "the file is a binary Excel workbook (.xlsb); save it as .xlsx and upload that";
  }
  if (contentType.includes("addin")) return "the file is an Office add-in, not a document";
  if (contentType.includes("visio")) return "the file is a Visio drawing; save it as PDF and upload that";
  return `the file is an Office package of a kind that drs does not read; ${uploadAdvice}`;
}

/**
 * Top-level names in compound files: [MS-DOC] 2.1, [MS-PPT] 2.1, [MS-XLS] 2.1, [MS-OFFCRYPTO] 2.3.4.4, [MS-OXMSG] 2.1.
 */
const compoundKinds: readonly { names: readonly string[]; sentence: string }[] = [
  { names: ["EncryptedPackage"], sentence: locked },
  {
    names: ["WordDocument"],
    sentence: "the file is a legacy Word document (.doc); save it as .docx or PDF and upload that",
  },
  {
    names: ["PowerPoint Document"],
    sentence: "the file is a legacy PowerPoint presentation (.ppt); save it as .pptx or PDF and upload that",
  },
  {
    names: ["Workbook", "Book"],
    sentence: "the file is a legacy Excel workbook (.xls); save it as .xlsx or PDF and upload that",
  },
  {
    names: ["__properties_version1.0"],
    sentence: "the file is an Outlook message (.msg); save it as PDF and upload that",
  },
  { names: ["VisioDocument"], sentence: "the file is a Visio drawing; save it as PDF and upload that" },
];

function describeCompound(names: readonly string[] | undefined): string {
  if (names === undefined) return `the file is a damaged legacy or encrypted Office document; ${uploadAdvice}`;
  return (
    compoundKinds.find((kind) => kind.names.some((name) => names.includes(name)))?.sentence ??
    `the file is a compound file of another program, not an Office document; ${uploadAdvice}`
  );
}

/** Recognises PDF and Office Open XML, and rejects files that only look like them. */
export const documentFormats: DocumentFormats = {
  refuseAtOnce: (head) => void containerOf(head),
  identify: identifyDocument,
};

/** Maximum bytes of the entry `mimetype`; every registered media type is shorter. */
const maxTypeBytes = 256;

/** Media types named by the entry `mimetype`: OpenDocument 1.3, part 2, 3.3, and EPUB 3.3, 4.2.6.2. */
const mediaTypes: readonly { pattern: RegExp; sentence: string }[] = [
  {
    pattern: /opendocument\.text/,
    sentence: "the file is an OpenDocument text (.odt); save it as .docx or PDF and upload that",
  },
  {
    pattern: /opendocument\.spreadsheet/,
    sentence: "the file is an OpenDocument spreadsheet (.ods); save it as .xlsx or PDF and upload that",
  },
  {
    pattern: /opendocument\.presentation/,
    sentence: "the file is an OpenDocument presentation (.odp); save it as .pptx or PDF and upload that",
  },
  { pattern: /opendocument/, sentence: "the file is an OpenDocument file; save it as PDF and upload that" },
  { pattern: /epub\+zip/, sentence: "the file is an e-book (EPUB); convert it to PDF and upload that" },
];

/** Entries that are typical of one kind of file. */
const landmarks: readonly { pattern: RegExp; sentence: string }[] = [
  {
    pattern: /^index\/document\.iwa$|^index\.zip$/,
    sentence: "the file is an Apple Pages, Numbers or Keynote document; export it as PDF and upload that",
  },
  { pattern: /^androidmanifest\.xml$/, sentence: "the file is an Android app, not a document" },
  { pattern: /^meta-inf\/manifest\.mf$/, sentence: "the file is a Java archive, not a document" },
  {
    pattern: /^(word\/document|ppt\/presentation|xl\/workbook)\.xml$/,
    sentence: "the Office document is damaged: its list of parts is missing; save it again and upload that",
  },
];

/** Describes a zip container that is not an Office file, as a sentence for the user who uploaded it. */
async function describeOtherZip(source: ByteSource, directory: ZipDirectory): Promise<string> {
  if (directory.entries.length === 0) return "the file is an empty zip archive, without a document in it";
  const mediaType = await readMediaType(source, directory);
  return (
    mediaTypes.find(({ pattern }) => pattern.test(mediaType))?.sentence ??
    landmarks.find(({ pattern }) => directory.entries.some(({ name }) => pattern.test(name.toLowerCase())))?.sentence ??
    "the file is a zip archive; unpack it and upload the documents in it"
  );
}

async function readMediaType(source: ByteSource, directory: ZipDirectory): Promise<string> {
  const entry = findEntry(directory, "mimetype");
  if (entry === undefined) return "";
  try {
    return Buffer.from(await readEntry(source, entry, { directory, maxBytes: maxTypeBytes })).toString("latin1");
  } catch (cause) {
    // The file is refused in any case; only the more precise sentence is lost.
    if (cause instanceof ArchiveError) return "";
    throw cause;
  }
}
