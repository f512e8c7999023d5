import { fileURLToPath } from "node:url";
import { type CanvasRenderingContext2D, createCanvas, GlobalFonts } from "@napi-rs/canvas";
import type { GreyRaster } from "../../raster.ts";

const folder = new URL("standard_fonts/", import.meta.resolve("pdfjs-dist/package.json"));
for (const [file, family] of [
  ["FoxitSerif.pfb", "serif"],
  ["LiberationSans-Regular.ttf", "sans"],
]) {
  GlobalFonts.registerFromPath(fileURLToPath(new URL(file ?? "", folder)), `reading ${family}`);
}

/** The fonts of test pages. */
export const serif = "reading serif";
export const sans = "reading sans";

/** A white page that a test draws on. */
export function drawnPage(width: number, height: number, draw: (pen: CanvasRenderingContext2D) => void): GreyRaster {
  const canvas = createCanvas(width, height);
  const pen = canvas.getContext("2d");
  pen.fillStyle = "#fff";
  pen.fillRect(0, 0, width, height);
  pen.fillStyle = "#000";
  draw(pen);
  const { data } = pen.getImageData(0, 0, width, height);
  return {
    width,
    height,
    channels: 1,
    data: Uint8Array.from({ length: width * height }, (_, at) => data[4 * at] ?? 0),
  };
}

/** Lines of text, one below the other; `size` in pixels. */
export function write(
  pen: CanvasRenderingContext2D,
  lines: readonly string[],
  { left, top, size, font = serif }: { left: number; top: number; size: number; font?: string },
): void {
  pen.font = `${size}px "${font}"`;
  lines.forEach((line, index) => pen.fillText(line, left, top + (index + 1) * size * 1.3));
}

/** A page whose pixels a function computes; 0 is black. */
export function pageOf(width: number, height: number, value: (x: number, y: number) => number): GreyRaster {
  const data = new Uint8Array(width * height);
  for (let y = 0; y < height; y += 1) for (let x = 0; x < width; x += 1) data[y * width + x] = value(x, y);
  return { width, height, channels: 1, data };
}

export const prose = [
  "The harbour master kept a ledger of every vessel",
  "that anchored beyond the lighthouse, with the names",
  "of its captain and crew, the tonnage of its cargo",
  "and the weather on the day of its departure. Later",
  "clerks copied these volumes, adding remarks about",
  "quarantine, insurance and the price of copper wire.",
];
