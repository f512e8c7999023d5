import { invalid } from "../../domain/errors.ts";
import type { PictureRequest, Raster } from "../raster.ts";

/** Maximum pixels, those of the largest photos that phones take. A larger picture is not decoded, whatever its file size. */
const maxPixels = 120_000_000;
/** Time limit of libvips; a picture of `maxPixels` takes about two seconds. */
const timeoutSeconds = 10;

/**
 * The formats that libvips may decode. It knows many more, some of which fetch files or run scripts (SVG, PDF,
 * ImageMagick's), so the first bytes are checked before it sees any.
 */
const signatures: readonly { readonly format: string; readonly at: number; readonly bytes: readonly string[] }[] = [
  { format: "JPEG", at: 0, bytes: ["\xff\xd8\xff"] },
  { format: "PNG", at: 0, bytes: ["\x89PNG\r\n\x1a\n"] },
  { format: "GIF", at: 0, bytes: ["GIF87a", "GIF89a"] },
  { format: "TIFF", at: 0, bytes: ["II*\0", "MM\0*"] },
  { format: "WebP", at: 8, bytes: ["WEBP"] },
  { format: "AVIF", at: 4, bytes: ["ftypavif", "ftypavis"] },
];

interface DecodeOptions extends Pick<PictureRequest, "longSide"> {
  /** Default: 1. */
  readonly channels?: 1 | 3;
  /** Whether a smaller picture is enlarged to `longSide`; default: true. */
  readonly enlarge?: boolean;
}

/**
 * Decodes a picture to a small one on white, grey or in colour, turned upright, with a longer side of `longSide` pixels. Only
 * the first page or frame is decoded. Throws `invalid` if it has none of the formats, is broken, or is too large.
 */
export async function decodePicture(
  image: Uint8Array,
  { longSide, channels = 1, enlarge = true }: DecodeOptions,
): Promise<Raster> {
  const start = Buffer.from(image.subarray(0, 16)).toString("latin1");
  if (!signatures.some(({ at, bytes }) => bytes.some((expected) => start.startsWith(expected, at)))) {
    const known = signatures.map(({ format }) => format).join(", ");
    throw invalid(`the query picture is in no format that can be read; send one of ${known}`);
  }
  const { default: sharp } = await import("sharp");
  try {
    const { data, info } = await sharp(image, { limitInputPixels: maxPixels, failOn: "error", pages: 1 })
      .timeout({ seconds: timeoutSeconds })
      .autoOrient()
      .flatten({ background: "white" })
      .resize({ width: longSide, height: longSide, fit: "inside", withoutEnlargement: !enlarge })
      .toColourspace(channels === 1 ? "b-w" : "srgb")
      .raw()
      .toBuffer({ resolveWithObject: true });
    return { width: info.width, height: info.height, channels, data };
  } catch (cause) {
    throw invalid(`the query picture cannot be decoded: ${reason(cause)}`, { cause });
  }
}

/** The first line of the decoder's message, which says what is wrong; the rest is its trace. */
function reason(cause: unknown): string {
  const [line = ""] = (cause instanceof Error ? cause.message : "").split("\n");
  return line === "" ? "it is damaged" : line.slice(0, 200);
}
