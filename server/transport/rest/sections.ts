import { invalid } from "../../domain/errors.ts";

/** A part of a multipart body, neither head nor content interpreted. Both are valid until more is asked for. */
export interface Section {
  /** The lines before the blank one, without the last line end. */
  readonly head: Buffer;
  /** The content as it comes. What is not read of it is passed over when the next section is asked for. */
  readonly bytes: AsyncIterable<Buffer>;
}

/** More names, types and encodings than any client sends of a part. */
const maxHeadBytes = 16 * 1024;
/** Some senders begin with a sentence for readers of mail. A larger preamble is another body than its type says. */
const maxPreambleBytes = 16 * 1024;
/** White space that gateways may put behind a delimiter, with room for the rest of its line. */
const maxLineBytes = 128;

const lineEnd = Buffer.from("\r\n");
const headEnd = Buffer.from("\r\n\r\n");

/**
 * Takes a multipart body (RFC 2046, section 5.1) apart as it comes, holding one chunk of it at most. Delimiters are
 * whole lines: a line that goes on behind the boundary is content. An iteration that is ended early leaves the
 * rest of the body unread. Throws `invalid` for a body that is broken or ends before its last delimiter.
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
      // A part without content may end with its head: then the end of the blank line begins the delimiter.
      yield { head, bytes: scan.content(lineEnd.length) };
      for await (const _ of scan.content(0)) continue;
    }
  } finally {
    // Not awaited: the client may take as long as it likes over what is being waited for, and nothing is needed of it.
    Promise.resolve(chunks.return?.()).catch(() => undefined);
  }
}

/** The place in a body: content up to a delimiter, the head behind it, the content behind that. */
function createScan(delimiter: Buffer, chunks: AsyncIterator<Uint8Array>) {
  // Read and not given out yet. The first delimiter may begin the body: as if an end of line came before it.
  let bytes: Buffer = lineEnd;
  let isComplete = false;
  let place: "content" | "head" | "end" = "content";

  async function more(): Promise<void> {
    if (isComplete) throw broken();
    // The memory of a chunk may be used again as soon as the next one is asked for.
    const held = Buffer.from(bytes);
    const next = await chunks.next();
    if (next.done === true) {
      isComplete = true;
      bytes = held;
    } else bytes = held.length === 0 ? asBuffer(next.value) : Buffer.concat([held, next.value]);
  }

  return {
    isAtEnd: () => place === "end",

    /** What comes before the next delimiter, less the first so many bytes. Nothing if there is none before it. */
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

    /** The head of a part; the end of its blank line counts as content. */
    async head(): Promise<Buffer> {
      // What is left of the delimiter's line is white space.
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

/** What a line is that begins with the delimiter, by what follows it: unknown as long as not enough does. */
function lineKind(rest: Buffer, isComplete: boolean): "head" | "end" | "content" | "unknown" {
  const line = rest.toString("latin1", 0, maxLineBytes);
  if (/^[ \t]*\r\n/.test(line)) return "head";
  if (/^--[ \t]*\r\n/.test(line) || (isComplete && /^--[ \t]*\r?$/.test(line))) return "end";
  const mayBecome = /^(?:-?|(?:--)?[ \t]*\r?)$/.test(line);
  return mayBecome && line.length < maxLineBytes ? "unknown" : "content";
}

/** Where at the end of the bytes a delimiter may have begun: its only CR is its first byte. */
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
