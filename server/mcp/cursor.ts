import { Refused } from "./failures.ts";

/** Encodes an offset, where a list continues, as an opaque cursor. */
export function writeCursor(offset: number): string {
  return Buffer.from(`o${offset}`).toString("base64url");
}

/** Throws `Refused` if the text is not such a cursor. */
export function readCursor(cursor: string): number {
  const offset = /^o(\d{1,9})$/.exec(Buffer.from(cursor, "base64url").toString("latin1"))?.[1];
  if (offset === undefined) throw new Refused("this is no cursor; pass nextCursor of an answer, or none");
  return Number(offset);
}
