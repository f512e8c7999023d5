import type { PDFDocumentProxy, PDFPageProxy } from "pdfjs-dist/legacy/build/pdf.mjs";
import type { PictureRequest, Raster } from "../../../embedding/raster.ts";
import type { PageDrawing } from "../../../embedding/ocr/text-layer.ts";
import type { ChosenCharacters, OpenDocument, PageContent, WrittenProperties } from "../engine.ts";
import { PageError, reasons } from "../../errors.ts";
import { type Canvas, dropFourth, encodeJpeg, hasColour, toGrey } from "../jpeg.ts";
import { fitLongSide, fitWidth, jpegSize, type PixelSize } from "../size.ts";
import { readLayout } from "../layout/layout.ts";
import { cleanWords } from "../words.ts";
import { characterBoxes, drawingOf, drawnOn, type Layers } from "./page-content.ts";
import type { PdfjsLibrary } from "./library.ts";

/** Pixels per point, and maximum pixels of the longer side, of the picture in a one-page PDF. */
const pdfScale = 200 / 72;
const pdfMaxLongSide = 4_000;

/**
 * States whether the layers let a page show an annotation. `number` is its object number, or 0 if the page contains it directly.
 */
export interface AnnotationLayer {
  readonly number: number;
  readonly isOn: boolean;
}

export class PdfjsDocument implements OpenDocument {
  readonly pageCount: number;
  readonly close: () => Promise<void>;
  readonly #library: PdfjsLibrary;
  readonly #document: PDFDocumentProxy;

  constructor(library: PdfjsLibrary, document: PDFDocumentProxy, close: () => Promise<void>) {
    this.pageCount = document.numPages;
    this.close = close;
    this.#library = library;
    this.#document = document;
  }

  /** Reads the XMP packet (ISO 16684-1), or else the information dictionary. */
  async properties(): Promise<WrittenProperties> {
    const { info, metadata } = await this.#document.getMetadata();
    const entry = (name: string): unknown => Object.entries(info).find(([key]) => key === name)?.[1];
    return {
      title: textOf(metadata?.get("dc:title")) || textOf(entry("Title")),
      author: textOf(metadata?.get("dc:creator")) || textOf(entry("Author")),
    };
  }

  async read(page: number): Promise<PageContent> {
    return this.#withPage(page, reasons.unreadable, async (proxy) => {
      const { width, height } = proxy.getViewport({ scale: 1 / proxy.userUnit });
      const { glyphs } = await drawnOn(this.#library.pdfjs, proxy, await this.#layers());
      const { text } = readLayout(glyphs);
      return { width, height, words: cleanWords(text) };
    });
  }

  async characters(page: number, choose: (text: string) => Iterable<number>): Promise<ChosenCharacters> {
    return this.#withPage(page, reasons.unreadable, async (proxy) =>
      characterBoxes(this.#library.pdfjs, proxy, await this.#layers(), choose),
    );
  }

  async drawing(page: number): Promise<PageDrawing> {
    return this.#withPage(page, reasons.unreadable, async (proxy) =>
      drawingOf(this.#library.pdfjs, proxy, await this.#layers()),
    );
  }

  async picture(page: number, { longSide, channels }: PictureRequest): Promise<Raster> {
    const { width, height, data } = await this.#draw(page, (pageWidth, pageHeight) =>
      fitLongSide(pageWidth, pageHeight, longSide),
    );
    return { width, height, channels, data: channels === 1 ? toGrey(data) : dropFourth(data) };
  }

  async jpeg(page: number, width?: number): Promise<Uint8Array> {
    const fit = width === undefined ? jpegSize : (...size: [number, number]) => fitWidth(...size, width);
    return encodeJpeg(await this.#draw(page, fit));
  }

  /** Returns a picture of the page, because a copy of the page may have invisible words beside or behind its content. */
  async onePagePdf(page: number): Promise<Uint8Array> {
    const canvas = await this.#draw(page, (width, height) =>
      fitLongSide(width, height, Math.min(pdfMaxLongSide, Math.ceil(Math.max(width, height) * pdfScale))),
    );
    const size = await this.#withPage(page, reasons.unsplittable, async (proxy) => {
      const { width, height } = proxy.getViewport({ scale: 1 / proxy.userUnit });
      return { width, height, userUnit: proxy.userUnit };
    });
    return picturePdf(await encodeJpeg(canvas), { ...canvas, isGrey: !hasColour(canvas.data) }, size);
  }

  /** Returns the annotations of a page: first the plain ones, then fields, then pop-up windows, each kind in the page's order. */
  async annotationLayers(page: number): Promise<readonly AnnotationLayer[]> {
    return this.#withPage(page, reasons.unreadable, async (proxy) => {
      const layers = await this.#layers();
      const annotations: readonly { readonly id: string; readonly oc?: unknown }[] = await proxy.getAnnotations({
        intent: "any",
      });
      return annotations.map(({ id, oc }) => ({
        number: Number(/^(\d+)R/.exec(id)?.[1] ?? 0),
        isOn: oc === undefined || layers.isVisible(oc),
      }));
    });
  }

  #layers(): Promise<Layers> {
    return this.#document.getOptionalContentConfig();
  }

  async #draw(page: number, fit: (width: number, height: number) => PixelSize | undefined): Promise<Canvas> {
    return this.#withPage(page, reasons.undrawable, async (proxy) => {
      const natural = proxy.getViewport({ scale: 1 });
      const size = fit(natural.width, natural.height);
      if (size === undefined) throw new PageError(page, reasons.noSize);
      const viewport = proxy.getViewport({ scale: Math.max(size.width / natural.width, size.height / natural.height) });
      const canvas = this.#library.createCanvas(size.width, size.height);
      // The API's types require a browser's canvas; this canvas has everything that pdf.js uses.
      await proxy.render({ canvas, viewport, background: "#fff" }).promise;
      const { data } = canvas.getContext("2d").getImageData(0, 0, size.width, size.height);
      return { ...size, data: new Uint8Array(data.buffer, data.byteOffset, data.length) };
    });
  }

  async #withPage<Result>(
    page: number,
    reason: string,
    use: (proxy: PDFPageProxy) => Promise<Result>,
  ): Promise<Result> {
    let proxy: PDFPageProxy | undefined;
    try {
      proxy = await this.#document.getPage(page);
      return await use(proxy);
    } catch (cause) {
      throw cause instanceof PageError ? cause : new PageError(page, reason, { cause });
    } finally {
      proxy?.cleanup();
    }
  }
}

/** Returns a text, or joins the texts of a list. */
function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  return Array.isArray(value) ? value.filter((one) => typeof one === "string").join(", ") : "";
}

/** The size of a page in units of `userUnit` points. */
interface PageSize {
  readonly width: number;
  readonly height: number;
  readonly userUnit: number;
}

/** Writes a PDF (ISO 32000-1) of one page that shows a JPEG from edge to edge. */
function picturePdf(jpeg: Uint8Array, pixels: PixelSize & { readonly isGrey: boolean }, page: PageSize): Buffer {
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
