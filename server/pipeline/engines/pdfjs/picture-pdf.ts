import type { PixelSize } from "../size.ts";

/** The size of a page in units of `userUnit` points. */
interface PageSize {
  readonly width: number;
  readonly height: number;
  readonly userUnit: number;
}

/** Writes a PDF (ISO 32000-1) of one page that shows a JPEG from edge to edge. */
export function picturePdf(jpeg: Uint8Array, pixels: PixelSize & { readonly isGrey: boolean }, page: PageSize): Buffer {
  const { width, height, userUnit } = page;
  const content = `q ${width} 0 0 ${height} 0 0 cm /Picture Do Q`;
  const picture =
    `<< /Type /XObject /Subtype /Image /Width ${pixels.width} /Height ${pixels.height} /BitsPerComponent 8 ` +
    `/ColorSpace ${pixels.isGrey ? "/DeviceGray" : "/DeviceRGB"} /Filter /DCTDecode /Length ${jpeg.length} >>`;
  const unit = userUnit === 1 ? "" : ` /UserUnit ${userUnit}`;
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${width} ${height}]${unit} /Contents 4 0 R ` +
      "/Resources << /XObject << /Picture 5 0 R >> >> >>",
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    Buffer.concat([Buffer.from(`${picture}\nstream\n`), jpeg, Buffer.from("\nendstream")]),
  ];
  const pieces = [Buffer.from("%PDF-1.7\n")];
  const offsets: number[] = [];
  let length = pieces[0]?.length ?? 0;
  for (const [index, object] of objects.entries()) {
    offsets.push(length);
    const piece = Buffer.concat([Buffer.from(`${index + 1} 0 obj\n`), Buffer.from(object), Buffer.from("\nendobj\n")]);
    pieces.push(piece);
    length += piece.length;
  }
  const rows = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
  const size = objects.length + 1;
  pieces.push(
    Buffer.from(
      `xref\n0 ${size}\n0000000000 65535 f \n${rows}trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${length}\n%%EOF\n`,
    ),
  );
  return Buffer.concat(pieces);
}
