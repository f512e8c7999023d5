import type { CellArea } from "./fit.ts";

/** The protocol's own limit for a piece of data, characters. */
const pieceLength = 4_096;

/**
 * A PNG for terminals that know kitty's protocol, over so many cells. The terminal answers nothing (q=2) and leaves the
 * cursor (C=1). https://sw.kovidgoyal.net/kitty/graphics-protocol
 */
export function kittySequence(png: Uint8Array, { columns, rows }: CellArea): string {
  const data = Buffer.from(png).toString("base64");
  let sequence = "";
  for (let at = 0; at < data.length; at += pieceLength) {
    const first = at === 0 ? `a=T,f=100,C=1,c=${columns},r=${rows},` : "";
    const more = at + pieceLength < data.length ? 1 : 0;
    sequence += `\u001b_G${first}q=2,m=${more};${data.slice(at, at + pieceLength)}\u001b\\`;
  }
  return sequence;
}
