import { identifyBytes } from "../domain/documents/source.ts";
import { uploadAdvice } from "../domain/documents/kind.ts";
import { unsupported } from "../domain/errors.ts";

/** The container formats that drs may be able to read, recognised by the first bytes of a file. */
export type Container = "pdf" | "zip" | "compound";

/** Identifies the container. Throws `unsupported` if the first bytes already show that drs cannot read the file. */
export function containerOf(head: Uint8Array): Container {
  if (head.length === 0)
    throw unsupported(
      "the file is empty: it was not written or copied to its end; look at it, and upload it again when it has content",
      { reason: "FORMAT_UNSUPPORTED" },
    );
  const bytes = Buffer.from(head.buffer, head.byteOffset, Math.min(head.length, identifyBytes));
  // This comes before the check for PDF: a zip archive may begin with an uncompressed PDF.
  if (startsWith(bytes, zipMagic)) return "zip";
  if (startsWith(bytes, compoundMagic)) return "compound";
  if (bytes.includes("%PDF-")) return "pdf";
  throw unsupported(`${describe(bytes)}; ${uploadAdvice}`, { reason: "FORMAT_UNSUPPORTED" });
}

function describe(bytes: Buffer): string {
  const found = signatures.find(({ magic, at = 0 }) => startsWith(bytes.subarray(at), magic));
  if (found !== undefined) return found.sentence;
  if (!isText(bytes)) return "the file is not a document that drs knows";
  const start = bytes
    .toString("utf8")
    .replace(/^\uFEFF/, "")
    .trimStart();
  return markup.find(({ pattern }) => pattern.test(start))?.sentence ?? "the file is plain text";
}

const hex = (text: string): Buffer => Buffer.from(text, "hex");
const startsWith = (bytes: Buffer, magic: Buffer): boolean => bytes.subarray(0, magic.length).equals(magic);

const zipMagic = hex("504b0304");
const compoundMagic = hex("d0cf11e0a1b11ae1");

/** File signatures as their formats define them. */
const signatures: readonly { magic: Buffer; at?: number; sentence: string }[] = [
  { magic: hex("504b0506"), sentence: "the file is an empty zip archive, without a document in it" },
  { magic: hex("504b0708"), sentence: "the file is one piece of a split zip archive" },
  { magic: hex("ffd8ff"), sentence: "the file is a JPEG picture" },
  { magic: hex("89504e47"), sentence: "the file is a PNG picture" },
  { magic: Buffer.from("GIF8"), sentence: "the file is a GIF picture" },
  { magic: Buffer.from("WEBP"), at: 8, sentence: "the file is a WebP picture" },
  { magic: hex("49492a00"), sentence: "the file is a TIFF picture" },
  { magic: hex("4d4d002a"), sentence: "the file is a TIFF picture" },
  { magic: Buffer.from("ftypheic"), at: 4, sentence: "the file is a HEIC picture" },
  { magic: Buffer.from("ftypavif"), at: 4, sentence: "the file is an AVIF picture" },
  { magic: Buffer.from("%!PS"), sentence: "the file is PostScript" },
  { magic: Buffer.from("{\\rtf"), sentence: "the file is rich text (RTF)" },
  { magic: hex("1f8b"), sentence: "the file is a gzip archive" },
  { magic: hex("377abcaf271c"), sentence: "the file is a 7z archive" },
  { magic: hex("526172211a07"), sentence: "the file is a RAR archive" },
  // UTF-16 text with a byte order mark.
  { magic: hex("fffe"), sentence: "the file is plain text" },
  { magic: hex("feff"), sentence: "the file is plain text" },
];

/** Text formats that users do not consider plain text. */
const markup: readonly { pattern: RegExp; sentence: string }[] = [
  { pattern: /^<(!doctype\s+html|html)\b/i, sentence: "the file is a web page (HTML)" },
  {
    pattern: /^<\?xml[^]*progid="(Word|PowerPoint|Excel)\./,
    sentence: "the file is an Office document in one XML file",
  },
  { pattern: /^<svg\b|^<\?xml[^]*<svg\b/, sentence: "the file is an SVG picture" },
  { pattern: /^<\?xml[^]*<html\b/i, sentence: "the file is a web page (HTML)" },
  { pattern: /^<\?xml\b/, sentence: "the file is an XML file" },
];

function isText(bytes: Buffer): boolean {
  // A UTF-8 sequence may be cut at the end of the head, so the last three bytes do not count.
  const whole = bytes.length < identifyBytes ? bytes : bytes.subarray(0, bytes.length - 3);
  const text = new TextDecoder("utf-8", { fatal: false }).decode(whole);
  return !text.includes("\uFFFD") && !/(?![\t\n\f\r])\p{Cc}/u.test(text);
}
