import { findEntry } from "./package.ts";
import type { ByteSource } from "../domain/documents/source.ts";
import { ArchiveError, type ZipDirectory } from "./zip/directory.ts";
import { readEntry } from "./zip/entry.ts";

/** Longer than any registered media type. */
const maxTypeBytes = 256;

/** OpenDocument 1.3, part 2, 3.3, and EPUB 3.3, 4.2.6.2: an entry `mimetype` names the media type. */
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
export async function describeOtherZip(source: ByteSource, directory: ZipDirectory): Promise<string> {
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
