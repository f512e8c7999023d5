/** A picture that fills a page. */
export interface PicturePage {
  /** Grey. */
  readonly jpeg: Uint8Array;
  /** Pixels. */
  readonly width: number;
  readonly height: number;
  /** Dots per inch. */
  readonly resolution: number;
}

/** Makes a PDF 1.7 (ISO 32000-1) whose pages are only pictures, as scanners write them. */
export function picturePdf(pages: readonly PicturePage[]): Buffer {
  const objects: Buffer[] = [Buffer.from("<< /Type /Catalog /Pages 2 0 R >>"), Buffer.alloc(0)];
  const kids = pages.map(({ jpeg, width, height, resolution }) => {
    const [across, down] = [(72 * width) / resolution, (72 * height) / resolution];
    const entries = `/Type /XObject /Subtype /Image /Width ${width} /Height ${height} /ColorSpace /DeviceGray`;
    const picture = objects.push(stream(`${entries} /BitsPerComponent 8 /Filter /DCTDecode`, Buffer.from(jpeg)));
    const content = objects.push(stream("", Buffer.from(`q ${across} 0 0 ${down} 0 0 cm /Im1 Do Q`)));
    return objects.push(
      Buffer.from(
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${across} ${down}] /Contents ${content} 0 R /Resources << /XObject << /Im1 ${picture} 0 R >> >> >>`,
      ),
    );
  });
  const references = kids.map((number) => `${number} 0 R`).join(" ");
  objects[1] = Buffer.from(`<< /Type /Pages /Count ${kids.length} /Kids [${references}] >>`);
  return assembled(objects);
}

function stream(entries: string, data: Buffer): Buffer {
  const head = `<< ${entries} /Length ${data.length} >>\nstream\n`;
  return Buffer.concat([Buffer.from(head), data, Buffer.from("\nendstream")]);
}

function assembled(objects: readonly Buffer[]): Buffer {
  const parts = [Buffer.from("%PDF-1.7\n")];
  let length = parts[0]?.length ?? 0;
  const rows = objects.map((object, index) => {
    const offset = length;
    const part = Buffer.concat([Buffer.from(`${index + 1} 0 obj\n`), object, Buffer.from("\nendobj\n")]);
    parts.push(part);
    length += part.length;
    return `${String(offset).padStart(10, "0")} 00000 n \n`;
  });
  const size = objects.length + 1;
  parts.push(
    Buffer.from(
      `xref\n0 ${size}\n0000000000 65535 f \n${rows.join("")}trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${length}\n%%EOF\n`,
    ),
  );
  return Buffer.concat(parts);
}
