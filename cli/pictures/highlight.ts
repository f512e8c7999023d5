import type { Highlight } from "@drs/client";

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
