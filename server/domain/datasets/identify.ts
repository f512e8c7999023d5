import { unsupported } from "../errors.ts";

/** What a document is, whatever its name or declared type says. */
export interface DocumentKind {
  readonly fileExt: string;
  readonly mimeType: string;
}

/** How much of a file must be seen to identify it: PDF allows junk in front of its header within the first 1,024 bytes. */
export const identifyBytes = 1024;

/** Identifies a document by its first bytes. Throws `unsupported`, saying what the file is instead where that shows. */
export function identifyDocument(head: Uint8Array): DocumentKind {
  if (head.length === 0) throw unsupported("the file is empty; upload a PDF document");
  const bytes = Buffer.from(head.buffer, head.byteOffset, Math.min(head.length, identifyBytes));
  if (bytes.includes("%PDF-")) return { fileExt: "pdf", mimeType: "application/pdf" };
  throw unsupported(`${describe(bytes)}; upload a PDF document`);
}

function describe(bytes: Buffer): string {
  const found = signatures.find(({ magic, at = 0 }) => bytes.subarray(at, at + magic.length).equals(magic));
  if (found !== undefined) return found.sentence;
  return isText(bytes) ? "the file is plain text" : "the file is not a document that drs knows";
}

const hex = (text: string): Buffer => Buffer.from(text, "hex");

/** File signatures as their formats define them. */
const signatures: readonly { magic: Buffer; at?: number; sentence: string }[] = [
  {
    magic: hex("504b0304"),
    sentence: "the file is a zip container, such as an Office document, which this version does not read",
  },
  { magic: hex("504b0506"), sentence: "the file is an empty zip archive" },
  { magic: hex("d0cf11e0a1b11ae1"), sentence: "the file is a legacy or encrypted Office document" },
  { magic: hex("ffd8ff"), sentence: "the file is a JPEG picture" },
  { magic: hex("89504e47"), sentence: "the file is a PNG picture" },
  { magic: Buffer.from("GIF8"), sentence: "the file is a GIF picture" },
  { magic: Buffer.from("WEBP"), at: 8, sentence: "the file is a WebP picture" },
  { magic: hex("49492a00"), sentence: "the file is a TIFF picture" },
  { magic: hex("4d4d002a"), sentence: "the file is a TIFF picture" },
  { magic: Buffer.from("%!PS"), sentence: "the file is PostScript" },
  { magic: Buffer.from("{\\rtf"), sentence: "the file is rich text (RTF)" },
];

function isText(bytes: Buffer): boolean {
  // A UTF-8 sequence may be cut at the end of what is seen, so the last three bytes do not count.
  const whole = bytes.length < identifyBytes ? bytes : bytes.subarray(0, bytes.length - 3);
  const text = new TextDecoder("utf-8", { fatal: false }).decode(whole);
  return !text.includes("\uFFFD") && !/(?![\t\n\f\r])\p{Cc}/u.test(text);
}
