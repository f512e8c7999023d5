import { fileURLToPath } from "node:url";
import type { Canvas, CanvasRenderingContext2D } from "@napi-rs/canvas";
import type { Random } from "./random.ts";

/** A4 at 150 dots per inch, as offices scan. */
export const paper = { width: 1240, height: 1754 };
const dotsPerPoint = 150 / 72;

/** Fonts that come with the PDF library. Training has used none of them. */
const fontFiles = [
  "FoxitSerif.pfb",
  "FoxitSerifBold.pfb",
  "FoxitSerifItalic.pfb",
  "FoxitFixed.pfb",
  "LiberationSans-Regular.ttf",
  "LiberationSans-Bold.ttf",
];
/** Body text: mostly upright serif or sans, one or two columns, 9 to 12 points. */
const bodies = [
  "FoxitSerif.pfb",
  "FoxitSerif.pfb",
  "LiberationSans-Regular.ttf",
  "LiberationSans-Regular.ttf",
  "FoxitFixed.pfb",
];
const sizes = [8, 9, 10, 10, 11, 11, 12];
const minPoints = 6;

interface Typeset {
  readonly canvas: Canvas;
  /** The words that fitted on the page. */
  readonly words: string;
}

/** Typesets a text on a page, black on white, with a random font, size and number of columns. */
export async function typeset(text: string, random: Random): Promise<Typeset> {
  const { createCanvas, GlobalFonts } = await import("@napi-rs/canvas");
  if (!GlobalFonts.has(fontFiles[0] ?? "")) {
    const folder = new URL("standard_fonts/", import.meta.resolve("pdfjs-dist/package.json"));
    for (const file of fontFiles) GlobalFonts.registerFromPath(fileURLToPath(new URL(file, folder)), file);
  }
  const canvas = createCanvas(paper.width, paper.height);
  const pen = canvas.getContext("2d");
  const font = random.pick(bodies);
  const columns = random.next() < 0.35 ? 2 : 1;
  let points = random.pick(sizes);
  let words = "";
  // Tries smaller and smaller type until the whole text fits.
  do {
    pen.fillStyle = "#fff";
    pen.fillRect(0, 0, paper.width, paper.height);
    pen.fillStyle = "#000";
    words = fill(pen, text, font, points * dotsPerPoint, columns);
    points -= 1;
  } while (words.length < text.replace(/\s+/g, " ").trim().length && points >= minPoints);
  return { canvas, words };
}

/** Returns the grey pixels of a canvas without colours. */
export function greyOf(canvas: Canvas): Uint8Array {
  const { width, height } = canvas;
  const { data } = canvas.getContext("2d").getImageData(0, 0, width, height);
  return Uint8Array.from({ length: width * height }, (_, at) => data[4 * at] ?? 255);
}

const margin = 110;
const gutter = 45;
const leading = 1.22;

/** Breaks the text into lines and draws them. Returns the part that fitted, with single spaces. */
function fill(pen: CanvasRenderingContext2D, text: string, font: string, size: number, columns: number): string {
  pen.font = `${size}px "${font}"`;
  const width = (paper.width - 2 * margin - (columns - 1) * gutter) / columns;
  const rows = Math.floor((paper.height - 2 * margin) / (size * leading));
  const lines = brokenIntoLines(pen, text, width).slice(0, rows * columns);
  lines.forEach((line, index) => {
    const left = margin + Math.floor(index / rows) * (width + gutter);
    pen.fillText(line, left, margin + ((index % rows) + 1) * size * leading);
  });
  return lines.join(" ");
}

function brokenIntoLines(pen: CanvasRenderingContext2D, text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(/\s+/u).filter((word) => word !== "")) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (line !== "" && pen.measureText(longer).width > width) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return line === "" ? lines : [...lines, line];
}
