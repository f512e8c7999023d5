import type { PictureRequest, Raster } from "../../../embedding/raster.ts";
import { PageError, reasons } from "../../errors.ts";
import type { PageDrawing } from "../../../embedding/ocr/text-layer.ts";
import type { ChosenCharacters, OpenDocument, PageContent, WrittenProperties } from "../engine.ts";
import { dropFourth, encodeJpeg } from "../jpeg.ts";
import { fitLongSide, fitWidth, isLarge, jpegSize, type PixelSize } from "../size.ts";
import { cleanWords } from "../words.ts";
import { type AnnotationLayers, annotationLayersOf } from "./annotation-layers.ts";
import { characterBoxes } from "./character-boxes.ts";
import { drawingOf } from "./drawing.ts";
import type { FileWriter } from "./file-io.ts";
import { type Form, openForm } from "./form.ts";
import type { Library } from "./library.ts";
import { onePagePdf, withCopy } from "./one-page.ts";
import { readText, type TextPage } from "./text.ts";
import { withTextPages } from "./text-pages.ts";

/** Formats of FPDFBitmap_CreateEx and flags of FPDF_RenderPageBitmap (fpdfview.h). */
const format = { grey: 1, bgrx: 3 } as const;
const flags = { annotations: 0x01, greyscale: 0x08, reverseByteOrder: 0x10 } as const;
const white = 0xffffffff;

interface Source {
  readonly file: string;
  readonly handle: number;
  readonly pageCount: number;
  release(): void;
}

/** A rendered page, still in PDFium's heap. */
interface Bitmap extends PixelSize {
  /** Bytes from the start of one row to the next. */
  readonly stride: number;
  readonly data: Uint8Array;
}

export class PdfiumDocument implements OpenDocument {
  readonly pageCount: number;
  readonly #library: Library;
  readonly #writer: FileWriter;
  readonly #source: Source;
  readonly #form: Form | undefined;
  readonly #layers: AnnotationLayers;

  constructor(library: Library, writer: FileWriter, source: Source) {
    this.pageCount = source.pageCount;
    this.#library = library;
    this.#writer = writer;
    this.#source = source;
    this.#form = openForm(library, source.handle);
    this.#layers = annotationLayersOf(library, source.file);
  }

  async properties(): Promise<WrittenProperties> {
    const { handle } = this.#source;
    return { title: infoOf(this.#library, handle, "Title"), author: infoOf(this.#library, handle, "Author") };
  }

  async read(page: number): Promise<PageContent> {
    return this.#withPage(page, (handle) => ({
      ...this.#measure(handle),
      words: cleanWords(this.#text(page, handle, (pages) => readText(this.#library, pages).text)),
    }));
  }

  async characters(page: number, choose: (text: string) => Iterable<number>): Promise<ChosenCharacters> {
    return this.#withPage(page, (handle) =>
      this.#text(page, handle, (pages) => characterBoxes(this.#library, pages, choose)),
    );
  }

  async drawing(page: number): Promise<PageDrawing> {
    return this.#withPage(page, (handle) => ({
      signs: this.#text(page, handle, (pages) => readText(this.#library, pages).text).replace(/\s+/g, "").length,
      ...drawingOf(this.#library, handle),
    }));
  }

  async picture(page: number, { longSide, channels }: PictureRequest): Promise<Raster> {
    return this.#withPage(page, (handle) => {
      const { width, height } = this.#measure(handle);
      const size = fitLongSide(width, height, longSide);
      return this.#draw(page, handle, size, channels === 1, (bitmap) => ({
        width: bitmap.width,
        height: bitmap.height,
        channels,
        data: channels === 1 ? packRows(bitmap, 1) : dropFourth(packRows(bitmap, 4)),
      }));
    });
  }

  async jpeg(page: number, width?: number): Promise<Uint8Array> {
    const canvas = await this.#withPage(page, (handle) => {
      const size = this.#measure(handle);
      return this.#draw(page, handle, this.#jpegSize(page, size, width), false, (bitmap) => ({
        width: bitmap.width,
        height: bitmap.height,
        data: packRows(bitmap, 4),
      }));
    });
    return encodeJpeg(canvas);
  }

  #jpegSize(page: number, size: PixelSize, width: number | undefined): PixelSize | undefined {
    if (width !== undefined) return fitWidth(size.width, size.height, width);
    const units = isLarge(size.width, size.height) ? 1 : this.#userUnit(page);
    return jpegSize(size.width * units, size.height * units);
  }

  async onePagePdf(page: number): Promise<Uint8Array> {
    // The page is loaded first, so that fields without an appearance get one before they are copied.
    const bytes = await this.#withPage(page, (loaded) =>
      onePagePdf(this.#library, this.#writer, { document: this.#source.handle, page, loaded }),
    );
    if (bytes === undefined) throw new PageError(page, reasons.unsplittable);
    return bytes;
  }

  async close(): Promise<void> {
    const { functions, call } = this.#library;
    await this.#layers.close();
    try {
      this.#form?.close();
      call(() => functions.FPDF_CloseDocument(this.#source.handle));
    } finally {
      this.#source.release();
    }
  }

  async #withPage<Result>(page: number, use: (handle: number) => Result): Promise<Result> {
    const { functions, call } = this.#library;
    const handle = call(() => functions.FPDF_LoadPage(this.#source.handle, page - 1));
    if (handle === 0) throw new PageError(page, reasons.unreadable);
    await this.#layers.hideOff(page, handle);
    this.#form?.pageLoaded(handle);
    const result = use(handle);
    // Not in a `finally`: an error above leaves PDFium broken, or the page open until the document is closed.
    this.#form?.pageClosing(handle);
    call(() => functions.FPDF_ClosePage(handle));
    return result;
  }

  /**
   * Returns the number of points in a unit of the page (ISO 32000-1, table 30). PDFium does not report it, but writes it into a
   * copy of the page, whose dictionary is among the first objects.
   */
  #userUnit(page: number): number {
    const { functions, call } = this.#library;
    const text = withCopy(this.#library, this.#source.handle, page, (copy) =>
      this.#writer.peek(
        (writer) => call(() => functions.FPDF_SaveAsCopy(copy, writer, 0)),
        /\/Type\/Page\b[^]*?endobj/,
      ),
    );
    const units = Number(/\/UserUnit ([\d.]+)/.exec(text ?? "")?.[1] ?? 1);
    return units > 0 ? units : 1;
  }

  #measure(handle: number): { width: number; height: number } {
    const { functions, call } = this.#library;
    return {
      width: call(() => functions.FPDF_GetPageWidthF(handle)),
      height: call(() => functions.FPDF_GetPageHeightF(handle)),
    };
  }

  #text<Result>(page: number, handle: number, use: (pages: readonly TextPage[]) => Result): Result {
    const loaded = {
      page: handle,
      withCopy: <Used>(work: (copy: number) => Used) => withCopy(this.#library, this.#source.handle, page, work),
    };
    const result = withTextPages(this.#library, loaded, (pages) => ({ used: use(pages) }));
    if (result === undefined) throw new PageError(page, reasons.unreadable);
    return result.used;
  }

  #draw<Result>(
    page: number,
    handle: number,
    size: PixelSize | undefined,
    grey: boolean,
    use: (bitmap: Bitmap) => Result,
  ): Result {
    const { functions, call, heap } = this.#library;
    if (size === undefined) throw new PageError(page, reasons.noSize);
    const { width, height } = size;
    const bitmap = call(() => functions.FPDFBitmap_CreateEx(width, height, grey ? format.grey : format.bgrx, 0, 0));
    if (bitmap === 0) throw new PageError(page, reasons.undrawable);
    const how = flags.annotations | (grey ? flags.greyscale : flags.reverseByteOrder);
    call(() => functions.FPDFBitmap_FillRect(bitmap, 0, 0, width, height, white));
    call(() => functions.FPDF_RenderPageBitmap(bitmap, handle, 0, 0, width, height, 0, how));
    this.#form?.draw(bitmap, handle, size, how);
    const pointer = call(() => functions.FPDFBitmap_GetBuffer(bitmap));
    const stride = call(() => functions.FPDFBitmap_GetStride(bitmap));
    const result = use({ width, height, stride, data: heap().subarray(pointer, pointer + stride * height) });
    call(() => functions.FPDFBitmap_Destroy(bitmap));
    return result;
  }
}

/** Copies the pixels without the padding at the ends of rows, so that they outlive the bitmap. */
function packRows({ width, height, stride, data }: Bitmap, bytesPerPixel: number): Uint8Array {
  const row = width * bytesPerPixel;
  if (stride === row) return data.slice();
  const packed = new Uint8Array(row * height);
  for (let y = 0; y < height; y++) packed.set(data.subarray(y * stride, y * stride + row), y * row);
  return packed;
}

/** Maximum bytes of a text, longer than any title; a longer text is ignored. */
const maxBytes = 64 * 1024;

/**
 * Reads a text of the document's information dictionary (ISO 32000-1, 14.3.3); empty if there is none, or it is unreasonably
 * long.
 */
function infoOf({ functions, call, scratch, heap }: Library, document: number, key: "Title" | "Author"): string {
  // UTF-16 with a terminator of two bytes.
  const bytes = call(() => functions.FPDF_GetMetaText(document, key, 0, 0));
  if (bytes <= 2 || bytes > maxBytes) return "";
  return scratch(bytes, (pointer) => {
    call(() => functions.FPDF_GetMetaText(document, key, pointer, bytes));
    return Buffer.from(heap().buffer, pointer, bytes - 2).toString("utf16le");
  });
}
