import { invalid, tooLarge } from "../../domain/errors.ts";
import { readSections } from "./sections.ts";
import { isUtf8 } from "node:buffer";
import { parse } from "content-disposition";

/** One part of a multipart/form-data body (RFC 7578). */
export type FormPart =
  | { readonly kind: "field"; readonly name: string; readonly value: string }
  | {
      readonly kind: "file";
      readonly name: string;
      /** File name without folders; empty if the client gave none. */
      readonly fileName: string;
      /** A piece is valid until the next is asked for. Unread pieces are skipped. */
      readonly bytes: AsyncIterable<Uint8Array>;
    };

/** Far more fields than any form of the API has. */
const maxFields = 100;
/** Maximum bytes of all fields together: the largest is a list of ten thousand upload parts as JSON, some 1.2 MB. */
const maxFieldBytes = 2 * 2 ** 20;
/** RFC 2046, section 5.1.1. Searching for a longer one in adversarial bytes would take long. */
const maxBoundaryLength = 70;

/**
 * Yields the parts of a form in order, as fast as the caller takes them; nothing is read ahead. An iteration that ends
 * early leaves the rest of the body unread. Throws `invalid` for a body that is not a complete form, and `too_large` for
 * oversized fields.
 */
export async function* readParts(contentType: string, body: AsyncIterable<Uint8Array>): AsyncGenerator<FormPart> {
  let files = 0;
  let fields = 0;
  let fieldBytes = 0;
  for await (const { head, bytes } of readSections(boundaryOf(contentType), body)) {
    const { name, fileName, charset } = readPartHead(head);
    if (fileName !== undefined) {
      files += 1;
      if (files > 1) throw invalid("send one file only");
      yield { kind: "file", name, fileName, bytes };
      continue;
    }
    fields += 1;
    if (fields > maxFields) throw invalid(`the form has more than ${maxFields} fields`);
    const pieces: Buffer[] = [];
    for await (const piece of bytes) {
      fieldBytes += piece.length;
      if (fieldBytes > maxFieldBytes) {
        throw tooLarge(`the form fields up to ${name} are longer than ${maxFieldBytes / 2 ** 20} MB together`);
      }
      // A piece is valid only until the next is asked for.
      pieces.push(Buffer.from(piece));
    }
    yield { kind: "field", name, value: textOf(Buffer.concat(pieces), name, charset) };
  }
}

function boundaryOf(contentType: string): string {
  const [, quoted, plain] = /;\s*boundary=(?:"([^"]*)"|([^\s";]+))/i.exec(contentType) ?? [];
  const boundary = quoted ?? plain ?? "";
  if (boundary === "") throw invalid("the Content-Type multipart/form-data needs a boundary");
  if (boundary.length > maxBoundaryLength) {
    throw invalid(`the boundary of multipart/form-data may have at most ${maxBoundaryLength} characters`);
  }
  return boundary;
}

function textOf(bytes: Buffer, name: string, charset: string): string {
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes);
  } catch (cause) {
    throw invalid(`the form field ${name} is not valid ${charset} text; send it as UTF-8`, { cause });
  }
}

/** The head of a form's part (RFC 7578, section 4). */
interface PartHead {
  readonly name: string;
  /** File name without folders; undefined for a field, empty for a file without a name. */
  readonly fileName: string | undefined;
  /** Charset of a field's text, as sent; TextDecoder may not know it. */
  readonly charset: string;
}

/** Far more headers than the two that a part needs. */
const maxHeaders = 50;

/** Encodings that change nothing. The others are obsolete, and RFC 7578 forbids them. */
const plainEncodings: readonly string[] = ["7bit", "8bit", "binary"];

/** Reads the head of a part. Throws `invalid`. */
function readPartHead(head: Buffer): PartHead {
  const headers = readHeaders(head);
  // Browsers write a quote in a name as %22, as the HTML standard requires; other clients escape it with a backslash.
  const disposition = headers.get("content-disposition")?.replaceAll(String.raw`\"`, "%22");
  const { type, parameters } = parse(disposition ?? "", { multipart: true });
  const { name, filename } = parameters;
  if (type !== "form-data" || name === undefined) {
    throw invalid('every part of the form needs a name: Content-Disposition: form-data; name="…"');
  }
  const encoding = headers.get("content-transfer-encoding")?.toLowerCase() ?? "binary";
  if (!plainEncodings.includes(encoding)) {
    throw invalid(`the form field ${name} has Content-Transfer-Encoding ${encoding}; send it as it is`);
  }
  const contentType = headers.get("content-type") ?? "";
  const isFile = filename !== undefined || /^application\/octet-stream\b/i.test(contentType);
  return {
    name,
    fileName: isFile ? (filename?.split(/[\\/]/).at(-1) ?? "") : undefined,
    charset: /;\s*charset="?([^\s";]+)/i.exec(contentType)?.[1] ?? "utf-8",
  };
}

/** Returns header values by lower-case name; the first of several headers with a name is used. */
function readHeaders(head: Buffer): ReadonlyMap<string, string> {
  // Names are UTF-8 (RFC 7578, section 5.1); old clients mostly send Latin-1.
  const text = head.toString(isUtf8(head) ? "utf8" : "latin1");
  const headers = new Map<string, string>();
  const lines = text.replaceAll(/\r\n[ \t]+/g, " ").split("\r\n", maxHeaders + 1);
  if (lines.length > maxHeaders) throw invalid(`a part of the form has more than ${maxHeaders} headers`);
  for (const line of lines) {
    const colon = line.indexOf(":");
    const name = line.slice(0, Math.max(0, colon)).toLowerCase();
    if (!headers.has(name)) headers.set(name, line.slice(colon + 1).trim());
  }
  return headers;
}
