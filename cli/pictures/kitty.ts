import type { CellArea } from "./fit.ts";

/** The protocol's limit for a piece of data, characters. */
const pieceLength = 4_096;

/**
 * Returns the sequence that draws a PNG over the cells with kitty's protocol. The terminal does not answer (q=2) and
 * does not move the cursor (C=1). https://sw.kovidgoyal.net/kitty/graphics-protocol
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
