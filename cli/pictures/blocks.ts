import type { Sharp } from "sharp";
import type { CellArea } from "./fit.ts";

/** Bits per colour: 24, or 8 for the palette of 256 colours. */
export type ColourDepth = 8 | 24;

const upperHalf = "▀";
const channels = 3;

/** Returns the picture as lines of coloured half blocks, each cell with two pixels, one above the other. */
export async function blockLines(picture: Sharp, { columns, rows }: CellArea, depth: ColourDepth): Promise<string[]> {
  const pixels = await picture
    .resize(columns, rows * 2, { fit: "fill" })
    .removeAlpha()
    .raw()
    .toBuffer();
  const colourAt = (layer: 38 | 48, x: number, y: number): string => {
    const at = (y * columns + x) * channels;
    const [red = 0, green = 0, blue = 0] = pixels.subarray(at, at + channels);
    return depth === 24 ? `${layer};2;${red};${green};${blue}` : `${layer};5;${paletteIndex(red, green, blue)}`;
  };
  return Array.from({ length: rows }, (_, row) => {
    let line = "";
    let before = "";
    for (let x = 0; x < columns; x += 1) {
      const colours = `${colourAt(38, x, row * 2)};${colourAt(48, x, row * 2 + 1)}`;
      line += colours === before ? upperHalf : `\u001b[${colours}m${upperHalf}`;
      before = colours;
    }
    return `${line}\u001b[0m`;
  });
}

/** Returns the nearest of xterm's colours 16 to 255: a cube of six steps, and 24 grays. */
function paletteIndex(red: number, green: number, blue: number): number {
  const steps = [0, 95, 135, 175, 215, 255];
  const nearest = (value: number): number => (value < 48 ? 0 : value < 115 ? 1 : Math.trunc((value - 35) / 40));
  const inCube = [red, green, blue].map(nearest);
  const gray = Math.max(0, Math.min(23, Math.round(((red + green + blue) / 3 - 8) / 10)));
  const distance = (colour: readonly number[]): number =>
    [red, green, blue].reduce((sum, value, index) => sum + (value - (colour[index] ?? 0)) ** 2, 0);
  const level = 8 + 10 * gray;
  if (distance([level, level, level]) < distance(inCube.map((step) => steps[step] ?? 0))) return 232 + gray;
  const [r = 0, g = 0, b = 0] = inCube;
  return 16 + 36 * r + 6 * g + b;
}
