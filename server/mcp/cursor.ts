import { Refused } from "./failures.ts";

/** Where a list goes on, for clients that are not to count: an offset, encoded. */
export function writeCursor(offset: number): string {
  return Buffer.from(`o${offset}`).toString("base64url");
}

/** Throws `Refused` for what is no cursor of ours. */
export function readCursor(cursor: string): number {
  const offset = /^o(\d{1,9})$/.exec(Buffer.from(cursor, "base64url").toString("latin1"))?.[1];
  if (offset === undefined) throw new Refused("this is no cursor; pass nextCursor of an answer, or none");
  return Number(offset);
}
