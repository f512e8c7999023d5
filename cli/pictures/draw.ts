import sharp from "sharp";
import { printable } from "../output/printable.ts";
import { blockLines } from "./blocks.ts";
import type { Canvas } from "./canvas.ts";
import { fitArea, type CellArea } from "./fit.ts";
import { itermSequence } from "./iterm.ts";
import { kittySequence } from "./kitty.ts";
import { indent } from "./area.ts";
import { sixelSequence } from "./sixel.ts";

/** Maximum pixels of a picture: 10,000 by 10,000, more than a screen shows and few enough for the memory. */
const maxPixels = 1e8;
/** iTerm2 counts points, which are two pixels wide and high on its screens. */
const pixelsPerPoint = 2;

/**
 * Returns the picture as text for the terminal, as large as the area allows, with the line break after it. If the
 * picture cannot be loaded, a note takes its place, so that the output continues.
 */
export async function drawPicture(
  load: () => Promise<Uint8Array>,
  canvas: Canvas,
  area: CellArea,
  signal: AbortSignal,
): Promise<string> {
  try {
    return await draw(await load(), canvas, area);
  } catch (cause) {
    signal.throwIfAborted();
    return `${" ".repeat(indent)}(no picture: ${printable(cause instanceof Error ? cause.message : String(cause))})\n`;
  }
}

async function draw(bytes: Uint8Array, { format, cell, depth, screen }: Canvas, area: CellArea): Promise<string> {
  const picture = sharp(bytes, { limitInputPixels: maxPixels }).autoOrient().flatten({ background: "white" });
  const { autoOrient } = await picture.metadata();
  const margin = Math.min(indent, Math.max(0, screen.columns - area.columns));
  const cells = fitArea(autoOrient, cell, area);
  if (format === "blocks") {
    const lines = await blockLines(picture, cells, depth);
    return lines.map((line) => `${" ".repeat(margin)}${line}\n`).join("");
  }
  const scale = format === "iterm" ? pixelsPerPoint : 1;
  const sized = picture.resize(cells.columns * cell.width * scale, cells.rows * cell.height * scale, { fit: "inside" });
  if (format === "kitty") return inReservedRows(kittySequence(await sized.png().toBuffer(), cells), cells.rows, margin);
  if (format === "iterm")
    return inReservedRows(itermSequence(await sized.jpeg({ quality: 90 }).toBuffer(), cells), cells.rows, margin);
  return inReservedRows(await sixelSequence(sized), cells.rows, margin);
}

/**
 * Draws into reserved rows: terminals disagree on where the cursor is after a picture and on whether one scrolls, so
 * space is made first, the picture is drawn into it, and the cursor is moved below.
 */
function inReservedRows(sequence: string, rows: number, margin: number): string {
  const right = margin === 0 ? "" : `\u001b[${margin}C`;
  return `${"\n".repeat(rows)}\u001b[${rows}A${right}\u001b7${sequence}\u001b8\r\u001b[${rows}B`;
}
