/** What a disk takes well at once. */
const pieceBytes = 256 * 1024;
/** More than it takes to see that what is being sent will not be taken. */
const headBytes = 4 * 1024;
/** Uploads that come at the same time all day; more make new memory when they begin. */
const maxSpares = 16;

/** Of uploads that have ended. */
const spares: Buffer[] = [];

/**
 * Gathers the chunks of a body into larger pieces, since every piece costs on its way to the store whatever its size.
 * Only the first bytes are passed on as they come, because they may be reason to refuse the rest. Takes the chunks'
 * memory, and uses its own again: a piece is valid until the next is asked for or the reading is ended. Left to the
 * garbage collector, the memory of a fast upload makes it walk the whole heap every few megabytes, which costs more than
 * all that is done with the bytes.
 */
export async function* gather(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const piece = spares.pop() ?? Buffer.allocUnsafeSlow(pieceBytes);
  let headLeft = headBytes;
  let length = 0;
  try {
    for await (const chunk of chunks) {
      const head = Buffer.from(chunk.subarray(0, headLeft));
      headLeft -= head.length;
      if (head.length > 0) yield head;
      for (let taken = head.length; taken < chunk.length;) {
        const added = chunk.subarray(taken, taken + pieceBytes - length);
        piece.set(added, length);
        taken += added.length;
        length += added.length;
        if (length < pieceBytes) continue;
        yield piece;
        length = 0;
      }
      free(chunk);
    }
    if (length > 0) yield piece.subarray(0, length);
  } finally {
    if (spares.length < maxSpares) spares.push(piece);
  }
}

/** Gives memory back at once if all of it belongs to the chunk. */
function free({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}
