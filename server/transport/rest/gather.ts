/** What a disk takes well at once. */
const pieceBytes = 256 * 1024;
/** More than it takes to see that what is being sent will not be taken. */
const headBytes = 4 * 1024;

/**
 * Gathers the chunks of a body into larger pieces, since every piece costs on its way to the store whatever its size.
 * Only the first chunks are passed on as they come, because they may be reason to refuse the rest. Takes the chunks'
 * memory, and uses its own again: a piece is valid until the next but one is asked for. Left to the garbage collector,
 * the memory of a fast upload makes it walk the whole heap every few megabytes, which costs more than all that is done
 * with the bytes.
 */
export async function* gather(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let given = 0;
  let piece: Buffer | undefined;
  let other: Buffer | undefined;
  let length = 0;
  for await (const chunk of chunks) {
    if (given < headBytes) {
      given += chunk.length;
      yield chunk;
      continue;
    }
    for (let taken = 0; taken < chunk.length;) {
      piece ??= Buffer.allocUnsafeSlow(pieceBytes);
      const added = chunk.subarray(taken, taken + pieceBytes - length);
      piece.set(added, length);
      taken += added.length;
      length += added.length;
      if (length < pieceBytes) continue;
      yield piece;
      [piece, other] = [other, piece];
      length = 0;
    }
    free(chunk);
  }
  if (piece !== undefined && length > 0) yield piece.subarray(0, length);
}

/** Gives memory back at once if all of it belongs to the chunk. */
function free({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}
