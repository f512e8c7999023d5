import type { CellArea } from "./fit.ts";

/**
 * Returns the sequence that draws a picture of any usual format over the cells, for iTerm2 and compatible terminals.
 * https://iterm2.com/documentation-images.html
 */
export function itermSequence(picture: Uint8Array, { columns, rows }: CellArea): string {
  const settings = `inline=1;size=${picture.length};width=${columns};height=${rows};preserveAspectRatio=1`;
  return `\u001b]1337;File=${settings}:${Buffer.from(picture).toString("base64")}\u0007`;
}
