/** Bytes that are needed to identify a file: PDF allows junk before its header in the first 1,024 bytes. */
export const identifyBytes = 1024;

/**
 * Reads the first bytes of a document, at least `identifyBytes` unless it is shorter. They are copied, because the
 * memory of a piece may be reused as soon as the next one is requested.
 */
export async function readHead(pieces: AsyncIterator<Uint8Array, undefined>): Promise<Uint8Array> {
  let head = Buffer.alloc(0);
  while (head.length < identifyBytes) {
    const { value } = await pieces.next();
    if (value === undefined) break;
    head = Buffer.concat([head, value]);
  }
  return head;
}
