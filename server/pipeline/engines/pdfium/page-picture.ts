import type { Library } from "./library.ts";

/** Format of FPDFBitmap_CreateEx (fpdfview.h). */
const bgrx = 3;
const white = 0xffffffff;

/** Dots per point of a picture that replaces a page's content, unless its longest side would be too long. */
const targetScale = 200 / 72;
const maxSide = 4_000;
/** Longest side of the small pictures that are compared to tell whether two pages look alike. */
const smallSide = 400;
/** Maximum difference of a smoothed edge, of 255. */
const maxDifference = 48;

const doubleBytes = 8;
const floatBytes = 4;

/** Whether two loaded pages look the same, apart from their annotations. */
export function lookAlike(library: Library, one: number, other: number): boolean {
  const { functions, call, heap } = library;
  const [drawn, redrawn] = [one, other].map((page) =>
    withDrawing(library, page, 1, smallSide, (bitmap, size) => {
      const start = call(() => functions.FPDFBitmap_GetBuffer(bitmap));
      return heap().slice(start, start + 4 * size.width * size.height);
    }),
  );
  if (drawn === undefined || redrawn === undefined || drawn.length !== redrawn.length) return false;
  return drawn.every((value, at) => at % 4 === 3 || Math.abs(value - (redrawn[at] ?? 0)) <= maxDifference);
}

/** Replaces the content of a page by a picture of another loaded page of the same size. */
export function replaceByPicture(library: Library, document: number, page: number, drawn: number): void {
  const { functions, call, scratch, view } = library;
  // From the first to the last, because PDFium searches each from the first on.
  for (let count = call(() => functions.FPDFPage_CountObjects(page)); count > 0; count -= 1) {
    const object = call(() => functions.FPDFPage_GetObject(page, 0));
    if (call(() => functions.FPDFPage_RemoveObject(page, object))) call(() => functions.FPDFPageObj_Destroy(object));
  }
  const image = call(() => functions.FPDFPageObj_NewImageObj(document));
  withDrawing(library, drawn, targetScale, maxSide, (bitmap) =>
    call(() => functions.FPDFImageObj_SetBitmap(0, 0, image, bitmap)),
  );
  scratch(2 * doubleBytes + 6 * floatBytes, (pointer) => {
    const matrix = pointer + 2 * doubleBytes;
    const corner = (x: number, y: number): readonly [number, number] => {
      call(() => functions.FPDF_DeviceToPage(page, 0, 0, 1, 1, 0, x, y, pointer, pointer + doubleBytes));
      return [view().getFloat64(pointer, true), view().getFloat64(pointer + doubleBytes, true)];
    };
    // The picture is the unit square with its lower left at the origin.
    const [origin, right, up] = [corner(0, 1), corner(1, 1), corner(0, 0)];
    const entries = [right[0] - origin[0], right[1] - origin[1], up[0] - origin[0], up[1] - origin[1], ...origin];
    for (const [place, entry] of entries.entries()) view().setFloat32(matrix + place * floatBytes, entry, true);
    call(() => functions.FPDFPageObj_SetMatrix(image, matrix));
  });
  call(() => functions.FPDFPage_InsertObject(page, image));
  call(() => functions.FPDFPage_GenerateContent(page));
}

function withDrawing<Result>(
  { functions, call }: Library,
  page: number,
  scale: number,
  longest: number,
  use: (bitmap: number, size: { readonly width: number; readonly height: number }) => Result,
): Result | undefined {
  const across = call(() => functions.FPDF_GetPageWidthF(page));
  const down = call(() => functions.FPDF_GetPageHeightF(page));
  const fitting = Math.min(scale, longest / Math.max(across, down, 1));
  const size = { width: Math.max(1, Math.round(across * fitting)), height: Math.max(1, Math.round(down * fitting)) };
  const bitmap = call(() => functions.FPDFBitmap_CreateEx(size.width, size.height, bgrx, 0, 0));
  if (bitmap === 0) return undefined;
  call(() => functions.FPDFBitmap_FillRect(bitmap, 0, 0, size.width, size.height, white));
  call(() => functions.FPDF_RenderPageBitmap(bitmap, page, 0, 0, size.width, size.height, 0, 0));
  const result = use(bitmap, size);
  call(() => functions.FPDFBitmap_Destroy(bitmap));
  return result;
}
