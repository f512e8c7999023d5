/** What a disk takes well at once. */
const pieceBytes = 256 * 1024;
/** Chunks of a body that drips: each costs far more than its bytes. */
const maxChunks = 64;

/**
 * Gathers the chunks of a body into larger pieces, since every piece costs on its way to the store whatever its size.
 * The first piece is the first chunk, because it may be reason to refuse the rest, and the pieces after it grow. The
 * chunks must be nobody else's.
 */
export async function* gather(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let gathered: Uint8Array[] = [];
  let length = 0;
  let given = 0;
  for await (const chunk of chunks) {
    gathered.push(chunk);
    length += chunk.length;
    if (length < Math.min(given, pieceBytes) && gathered.length < maxChunks) continue;
    given += length;
    yield join(gathered);
    gathered = [];
    length = 0;
  }
  if (length > 0) yield join(gathered);
}

function join(chunks: readonly Uint8Array[]): Uint8Array {
  const [first, ...others] = chunks;
  if (first !== undefined && others.length === 0) return first;
  const joined = Buffer.concat(chunks);
  for (const { buffer, byteLength } of chunks) {
    // Gives the memory back now. Left to the garbage collector, a fast upload makes it walk the whole heap every few
    // megabytes, which costs more than everything else that is done with the bytes.
    if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
  }
  return joined;
}
