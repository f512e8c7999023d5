import type { Random } from "./random.ts";

/** A page's picture in grey. */
interface Grey {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array;
}

const steepestDegrees = 1.5;

/** Renders a page as a scanner does: askew by up to 1.5°, noisy, unevenly lit, compressed. Returns a grey JPEG. */
export async function scanned({ width, height, data }: Grey, random: Random): Promise<Uint8Array> {
  const { default: sharp } = await import("sharp");
  const degrees = (2 * random.next() - 1) * steepestDegrees;
  const turned = await sharp(data, { raw: { width, height, channels: 1 } })
    .rotate(degrees, { background: "white" })
    .extractChannel(0)
    .raw()
    .toBuffer({ resolveWithObject: true });
  const left = Math.max(0, Math.floor((turned.info.width - width) / 2));
  const top = Math.max(0, Math.floor((turned.info.height - height) / 2));
  const cut = await sharp(turned.data, { raw: { width: turned.info.width, height: turned.info.height, channels: 1 } })
    .extract({ left, top, width, height })
    .blur(0.3 + 0.6 * random.next())
    .toColourspace("b-w")
    .raw()
    .toBuffer();
  const ink = 20 + 60 * random.next();
  const light = 215 + 40 * random.next();
  const shade = 25 * random.next();
  const noise = 3 + 7 * random.next();
  const page = cut.map((value, index) => {
    const lit = light - (shade * (index % width)) / width;
    const grey = ink + ((lit - ink) * value) / 255 + noise * random.normal();
    return Math.max(0, Math.min(255, grey));
  });
  const quality = Math.round(40 + 40 * random.next());
  return sharp(page, { raw: { width, height, channels: 1 } })
    .toColourspace("b-w")
    .jpeg({ quality })
    .toBuffer();
}

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
