import type { PixelSize } from "../size.ts";
import type { Library } from "./library.ts";

/** A document's form fields, which PDFium draws separately from the page. */
export interface Form {
  pageLoaded(page: number): void;
  pageClosing(page: number): void;
  draw(bitmap: number, page: number, size: PixelSize, flags: number): void;
  close(): void;
}

/** Opens a document's form; undefined if it has none. Scripts never run, because the build has no JavaScript. */
export function openForm({ functions, call }: Library, document: number): Form | undefined {
  if (call(() => functions.FPDF_GetFormType(document)) === 0) return undefined;
  const info = call(() => functions.PDFiumExt_OpenFormFillInfo());
  const form = call(() => functions.PDFiumExt_InitFormFillEnvironment(document, info));
  if (form === 0) {
    call(() => functions.PDFiumExt_CloseFormFillInfo(info));
    return undefined;
  }
  // The coloured background that an editor puts under fields is not part of the page.
  call(() => functions.FPDF_SetFormFieldHighlightAlpha(form, 0));
  return {
    pageLoaded: (page) => call(() => functions.FORM_OnAfterLoadPage(page, form)),
    pageClosing: (page) => call(() => functions.FORM_OnBeforeClosePage(page, form)),
    draw: (bitmap, page, { width, height }, flags) =>
      call(() => functions.FPDF_FFLDraw(form, bitmap, page, 0, 0, width, height, 0, flags)),
    close() {
      call(() => functions.PDFiumExt_ExitFormFillEnvironment(form));
      call(() => functions.PDFiumExt_CloseFormFillInfo(info));
    },
  };
}
