import { identifyBytes } from "./signatures.ts";

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
