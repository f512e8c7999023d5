import { invalid } from "../../domain/errors.ts";

/** A part of a multipart body, with head and content not interpreted. Both are valid until more is asked for. */
export interface Section {
  /** The lines before the blank line, without the last line end. */
  readonly head: Buffer;
  /** The content as it comes. The unread rest is skipped when the next section is asked for. */
  readonly bytes: AsyncIterable<Buffer>;
}

/** More names, types and encodings than any client sends with a part. */
const maxHeadBytes = 16 * 1024;
/**
 * Some senders begin with a sentence for mail readers. A body with a larger preamble is not of the type that it
 * claims.
 */
const maxPreambleBytes = 16 * 1024;
/** Bytes of a delimiter's line: gateways may add white space after a delimiter. */
const maxLineBytes = 128;

const lineEnd = Buffer.from("\r\n");
const headEnd = Buffer.from("\r\n\r\n");

/**
 * Splits a multipart body (RFC 2046, section 5.1) as it comes, holding at most one chunk of it. Delimiters are whole
 * lines: a line that continues after the boundary is content. An iteration that ends early leaves the rest of the body
 * unread. Throws `invalid` for a body that is broken or ends before its last delimiter.
 */
export async function* readSections(boundary: string, body: AsyncIterable<Uint8Array>): AsyncGenerator<Section> {
  const chunks = body[Symbol.asyncIterator]();
  const scan = createScan(Buffer.from(`\r\n--${boundary}`, "latin1"), chunks);
  try {
    let preambleBytes = 0;
    for await (const piece of scan.content(0)) {
      preambleBytes += piece.length;
      if (preambleBytes > maxPreambleBytes) throw broken();
    }
    while (!scan.isAtEnd()) {
      const head = await scan.head();
      // A part without content may end with its head; then the end of the blank line starts the delimiter.
      yield { head, bytes: scan.content(lineEnd.length) };
      for await (const _ of scan.content(0)) continue;
    }
  } finally {
    // Not awaited: the client may take as long as it likes to send more, and nothing of it is needed.
    Promise.resolve(chunks.return?.()).catch(() => undefined);
  }
}

/** A scanner over a body: content up to a delimiter, the head after it, the content after that. */
function createScan(delimiter: Buffer, chunks: AsyncIterator<Uint8Array>) {
  // Bytes that were read but not passed on yet. The first delimiter may start the body, so a line end is put before it.
  let bytes: Buffer = lineEnd;
  let isComplete = false;
  let place: "content" | "head" | "end" = "content";

  async function more(): Promise<void> {
    if (isComplete) throw broken();
    // The memory of a chunk may be reused as soon as the next one is asked for.
    const held = Buffer.from(bytes);
    const next = await chunks.next();
    if (next.done === true) {
      isComplete = true;
      bytes = held;
    } else bytes = held.length === 0 ? asBuffer(next.value) : Buffer.concat([held, next.value]);
  }

  return {
    isAtEnd: () => place === "end",

    /** The content before the next delimiter, without the first `firstByte` bytes. */
    async *content(firstByte: number): AsyncGenerator<Buffer> {
      let skip = firstByte;
      let from = 0;
      while (place === "content") {
        const at = bytes.indexOf(delimiter, from);
        const line = at < 0 ? "unknown" : lineKind(bytes.subarray(at + delimiter.length), isComplete);
        if (line === "content") {
          from = at + delimiter.length;
          continue;
        }
        const end = at < 0 ? beginOf(delimiter, bytes, from) : at;
        const piece = bytes.subarray(Math.min(skip, end), end);
        skip = Math.max(0, skip - end);
        bytes = bytes.subarray(end);
        from = 0;
        if (line !== "unknown") {
          place = line;
          bytes = bytes.subarray(delimiter.length);
        }
        if (piece.length > 0) yield piece;
        if (line === "unknown") await more();
      }
    },

    /** Reads the head of a part; the end of its blank line counts as content. */
    async head(): Promise<Buffer> {
      // The rest of the delimiter's line is white space.
      const start = bytes.indexOf(lineEnd);
      for (let from = start; ;) {
        const end = bytes.indexOf(headEnd, from);
        if ((end < 0 ? bytes.length : end) - start > maxHeadBytes) {
          throw invalid(`the head of a part of the form is longer than ${maxHeadBytes} bytes`);
        }
        if (end >= 0) {
          const head = bytes.subarray(start + lineEnd.length, end);
          bytes = bytes.subarray(end + lineEnd.length);
          place = "content";
          return head;
        }
        from = Math.max(start, bytes.length - headEnd.length + 1);
        await more();
      }
    },
  };
}

export function broken(): Error {
  return invalid("the multipart body is broken or ends too early");
}

/** The kind of a line that begins with the delimiter, by what follows; `unknown` until enough bytes have come. */
function lineKind(rest: Buffer, isComplete: boolean): "head" | "end" | "content" | "unknown" {
  const line = rest.toString("latin1", 0, maxLineBytes);
  if (/^[ \t]*\r\n/.test(line)) return "head";
  if (/^--[ \t]*\r\n/.test(line) || (isComplete && /^--[ \t]*\r?$/.test(line))) return "end";
  const mayBecome = /^(?:-?|(?:--)?[ \t]*\r?)$/.test(line);
  return mayBecome && line.length < maxLineBytes ? "unknown" : "content";
}

/** Where, at the end of the bytes, a delimiter may have begun: its only CR is its first byte. */
function beginOf(delimiter: Buffer, bytes: Buffer, from: number): number {
  const tail = Math.max(from, bytes.length - delimiter.length + 1);
  const at = bytes.subarray(tail).lastIndexOf(0x0d);
  if (at < 0) return bytes.length;
  const begun = bytes.subarray(tail + at);
  return begun.equals(delimiter.subarray(0, begun.length)) ? tail + at : bytes.length;
}

function asBuffer(chunk: Uint8Array): Buffer {
  return Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
}
