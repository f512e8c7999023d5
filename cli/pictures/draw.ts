import sharp, { type Sharp } from "sharp";
import { printable } from "../output/printable.ts";
import { blockLines } from "./blocks.ts";
import type { Canvas } from "./canvas.ts";
import { type CellArea, fitArea } from "./fit.ts";
import { indent } from "./area.ts";
import { FINALIZER, introducer, sixelEncode } from "sixel";

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

/** The protocol's limit for a piece of data, characters. */
const pieceLength = 4_096;

/**
 * Returns the sequence that draws a PNG over the cells with kitty's protocol. The terminal does not answer (q=2) and
 * does not move the cursor (C=1). https://sw.kovidgoyal.net/kitty/graphics-protocol
 */
function kittySequence(png: Uint8Array, { columns, rows }: CellArea): string {
  const data = Buffer.from(png).toString("base64");
  let sequence = "";
  for (let at = 0; at < data.length; at += pieceLength) {
    const first = at === 0 ? `a=T,f=100,C=1,c=${columns},r=${rows},` : "";
    const more = at + pieceLength < data.length ? 1 : 0;
    sequence += `\u001b_G${first}q=2,m=${more};${data.slice(at, at + pieceLength)}\u001b\\`;
  }
  return sequence;
}

/**
 * Returns the sequence that draws a picture of any usual format over the cells, for iTerm2 and compatible terminals.
 * https://iterm2.com/documentation-images.html
 */
function itermSequence(picture: Uint8Array, { columns, rows }: CellArea): string {
  const settings = `inline=1;size=${picture.length};width=${columns};height=${rows};preserveAspectRatio=1`;
  return `\u001b]1337;File=${settings}:${Buffer.from(picture).toString("base64")}\u0007`;
}

/** Colours of today's terminals; the standard allows no more. */
const colours = 256;

/** Returns a picture as sixels. Its colours are chosen for it and not dithered, so that letters stay clean. */
async function sixelSequence(picture: Sharp): Promise<string> {
  const reduced = await picture.png({ palette: true, colours, dither: 0 }).toBuffer();
  const { data, info } = await sharp(reduced).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  const palette = new Map<number, [number, number, number]>();
  for (let at = 0; at < data.length; at += 4) {
    const [red = 0, green = 0, blue = 0] = data.subarray(at, at + 3);
    palette.set((red << 16) | (green << 8) | blue, [red, green, blue]);
  }
  return introducer(1) + sixelEncode(data, info.width, info.height, [...palette.values()]) + FINALIZER;
}
