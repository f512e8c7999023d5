import type { CommandIo } from "../command-io.ts";
import { openCanvas, type PictureChoice } from "./canvas.ts";
import { askedArea, unaskedArea } from "./area.ts";
import type { Highlight } from "@drs/client";

/** Shows the pictures of pages. */
export interface Gallery {
  /** Number of pages that are shown, from the first on. */
  readonly count: number;
  /** The reason why no picture is shown, if pictures were requested. */
  readonly reason?: string;
  /** Returns a picture as text for the terminal, with the line break after it. */
  draw(load: () => Promise<Uint8Array>): Promise<string>;
}

/** The user's choice of pictures; undefined if there is none. */
export type PictureOption = PictureChoice | false | undefined;

const nothing: Gallery = { count: 0, draw: () => Promise.resolve("") };

/** Prepares the terminal for the pictures of pages: a few if none were requested, otherwise all of them. */
export async function openGallery(option: PictureOption, pages: number, io: CommandIo): Promise<Gallery> {
  if (option === false || option === "none" || pages === 0) return nothing;
  const canvas = await openCanvas(option ?? "auto", io);
  if (canvas.format === undefined) return option === undefined ? nothing : { ...nothing, reason: canvas.reason };
  const { count, area } = option === undefined ? unaskedArea(canvas, pages) : { count: pages, area: askedArea(canvas) };
  return {
    count,
    async draw(load) {
      // The image library is loaded only when a picture is drawn.
      const { drawPicture } = await import("./draw.ts");
      return drawPicture(load, canvas, area, io.signal);
    },
  };
}

/** JPEG quality of a changed picture: no more is lost than can be seen. */
const quality = 88;
/** Yellow like a highlighter; the text below stays as dark as it is. */
const marker = "#ffe14a";

/** Returns the picture of a page with the words of the query marked; unchanged if there are none. */
export async function drawHighlights(picture: Uint8Array, highlights: readonly Highlight[]): Promise<Uint8Array> {
  if (highlights.length === 0) return picture;
  // The image library is loaded only when a picture is drawn.
  const { default: sharp } = await import("sharp");
  const { width, height } = await sharp(picture).metadata();
  const boxes = highlights.map(
    (box) =>
      `<rect x="${box.x * width}" y="${box.y * height}" width="${box.width * width}" height="${box.height * height}" fill="${marker}"/>`,
  );
  const drawing = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${boxes.join("")}</svg>`;
  return sharp(picture)
    .toColourspace("srgb")
    .composite([{ input: Buffer.from(drawing), blend: "multiply" }])
    .jpeg({ quality })
    .toBuffer();
}
