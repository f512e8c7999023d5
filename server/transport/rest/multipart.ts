import { invalid, tooLarge } from "../../domain/errors.ts";
import { readPartHead } from "./part-head.ts";
import { readSections } from "./sections.ts";

/** One part of a multipart/form-data body (RFC 7578). */
export type FormPart =
  | { readonly kind: "field"; readonly name: string; readonly value: string }
  | {
      readonly kind: "file";
      readonly name: string;
      /** Without folders; empty if the client gave none. */
      readonly fileName: string;
      /** A piece is valid until the next is asked for. What is not read of them is passed over. */
      readonly bytes: AsyncIterable<Uint8Array>;
    };

/** No form of ours comes near; what is larger is not meant for us. */
const maxFields = 100;
/** All fields together: the largest is a list of ten thousand upload parts as JSON, some 1.2 MB. */
const maxFieldBytes = 2 * 2 ** 20;
/** RFC 2046, section 5.1.1. Looking for a long one in bytes that are made for it would take long. */
const maxBoundaryLength = 70;

/**
 * The parts of a form in the order they come in, read as fast as they are taken; nothing is read ahead. An iteration that
 * is ended early leaves the rest of the body unread. Throws `invalid` for a body that is no complete form, `too_large` for
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
      // Valid until the next is asked for.
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
