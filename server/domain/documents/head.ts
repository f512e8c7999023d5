/** How much of a file must be seen to tell what it may be: PDF allows junk before its header in the first 1,024 bytes. */
export const identifyBytes = 1024;

/** Reads the first `identifyBytes` of a stream, and what came with them; fewer only if it is shorter. */
export async function readHead(chunks: AsyncIterator<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let length = 0;
  while (length < identifyBytes) {
    const { value, done } = await chunks.next();
    if (done === true) break;
    parts.push(value);
    length += value.length;
  }
  return Buffer.concat(parts);
}
