/** How much of a file must be seen to tell what it may be: PDF allows junk before its header in the first 1,024 bytes. */
export const identifyBytes = 1024;

/**
 * The first bytes of a document, `identifyBytes` or more, fewer only if it is shorter. They are copied: the memory of a
 * piece may be used again as soon as the next one is asked for.
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
