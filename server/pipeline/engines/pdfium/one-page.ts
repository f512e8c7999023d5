import { shownParts } from "./copy/shown-parts.ts";
import { readWritten, Reference, writeFileOf } from "./copy/pdf-objects.ts";
import type { FileWriter } from "./file-io.ts";
import type { Library } from "./library.ts";
import { removeHiddenAnnotations } from "./annotations.ts";
import { objectsOfOffLayers } from "./visibility/layers.ts";
import { hiddenTexts } from "./visibility/shown.ts";
import { maxObjects, objectTypes, type PageObject, pageObjects } from "./visibility/objects.ts";

/** Calls `use` with a document that has only this page. Returns undefined if the page cannot be copied. */
export function withCopy<Result>(
  { functions, call, scratch, view }: Library,
  document: number,
  page: number,
  use: (copy: number) => Result,
): Result | undefined {
  const copy = call(() => functions.FPDF_CreateNewDocument());
  const result = scratch(4, (indices) => {
    view().setInt32(indices, page - 1, true);
    const copied = call(() => functions.FPDF_ImportPagesByIndex(copy, document, indices, 1, 0));
    return copied ? use(copy) : undefined;
  });
  call(() => functions.FPDF_CloseDocument(copy));
  return result;
}

/** Matches pages that may have layers: PDFium writes their dictionaries, which name the layers, as text. */
const layerNames = /\/(?:OC|OCG|OCMD|Properties)(?![A-Za-z])/;
/** Types of objects that may name a layer in their own dictionary instead of by marks. */
const ownLayer: ReadonlySet<number> = new Set([objectTypes.image]);

/**
 * Makes a PDF of one page of a document without the content that the page hides. A copy lacks the document's list of layers,
 * so it would show layers that are off. `loaded` is the page in its document. Undefined if the page cannot be copied.
 */
export function onePagePdf(
  library: Library,
  writer: FileWriter,
  { document, page, loaded }: { readonly document: number; readonly page: number; readonly loaded: number },
): Buffer | undefined {
  return withCopy(library, document, page, (copy) => {
    const save = (): Buffer | undefined =>
      writer.collect((target) => library.call(() => library.functions.FPDF_SaveAsCopy(copy, target, 0)));
    const bytes = save();
    if (bytes === undefined) return bytes;
    const all = pageObjects(library, loaded);
    const drawn = layerNames.test(bytes.toString("latin1")) ? all.filter(({ type }) => type !== objectTypes.form) : [];
    const hidden = new Set([
      ...hiddenTexts(library, loaded, all),
      ...objectsOfOffLayers(library, loaded, all, drawn, ownLayer),
    ]);
    const hadHidden = withPage(library, copy, (page) => removeHiddenAnnotations(library, page));
    if (hidden.size === 0) return withoutUnseen(hadHidden ? save() : bytes);
    // If a page has more objects, it is unknown what else is hidden, and rewriting it takes long.
    const removed = all.length < maxObjects && removeObjects(library, copy, all, hidden);
    withPage(library, copy, (page) => {
      // Forms with a matrix move when they are rewritten.
      if (!removed || !lookAlike(library, page, loaded)) replaceByPicture(library, copy, page, loaded);
    });
    return withoutUnseen(save());
  });
}

function withoutUnseen(bytes: Buffer | undefined): Buffer | undefined {
  const file = bytes === undefined ? undefined : readWritten(bytes);
  const root = file?.trailer.get("/Root");
  if (file === undefined || !(root instanceof Reference)) return undefined;
  return writeFileOf(shownParts(file.objects, root.number), root.number);
}

function withPage<Result>({ functions, call }: Library, copy: number, use: (page: number) => Result): Result {
  const page = call(() => functions.FPDF_LoadPage(copy, 0));
  const result = use(page);
  call(() => functions.FPDF_ClosePage(page));
  return result;
}

/**
 * Removes objects from the only page of a copy, and rewrites its content. Returns false if some of them remain, for example in
 * nested forms, which PDFium does not rewrite. `all` has the objects of the original page; `hidden` has those to remove, without
 * forms.
 */
function removeObjects(
  library: Library,
  copy: number,
  all: readonly PageObject[],
  hidden: ReadonlySet<PageObject>,
): boolean {
  const { functions, call } = library;
  const gone = withEmptyForms(all, hidden);
  const page = call(() => functions.FPDF_LoadPage(copy, 0));
  const copied = pageObjects(library, page);
  const toRemove = copied.filter((_object, index) => {
    const original = all[index];
    return original !== undefined && gone.has(original) && (original.form === undefined || !gone.has(original.form));
  });
  for (const { handle, form } of toRemove) {
    const removed =
      form === undefined
        ? call(() => functions.FPDFPage_RemoveObject(page, handle))
        : call(() => functions.FPDFFormObj_RemoveObject(form.handle, handle));
    if (removed) call(() => functions.FPDFPageObj_Destroy(handle));
  }
  call(() => functions.FPDFPage_GenerateContent(page));
  call(() => functions.FPDF_ClosePage(page));
  const after = call(() => functions.FPDF_LoadPage(copy, 0));
  const left = pageObjects(library, after).length;
  call(() => functions.FPDF_ClosePage(after));
  return copied.length === all.length && left === all.length - gone.size;
}

/** Returns the hidden objects with the forms that become empty, and everything in those. */
function withEmptyForms(all: readonly PageObject[], hidden: ReadonlySet<PageObject>): ReadonlySet<PageObject> {
  const gone = new Set(hidden);
  const kept = new Set<PageObject>();
  for (const object of all.toReversed()) {
    if (object.type === objectTypes.form && !kept.has(object)) gone.add(object);
    if (object.form !== undefined && !gone.has(object)) kept.add(object.form);
  }
  return gone;
}

/** Format of FPDFBitmap_CreateEx (fpdfview.h). */
const bgrx = 3;
const white = 0xffffffff;

/** Dots per point of a picture that replaces a page's content, unless its longest side would be too long. */
const targetScale = 200 / 72;
const maxSide = 4_000;
/** Longest side of the small pictures that are compared to decide whether two pages look alike. */
const smallSide = 400;
/** Maximum difference of a smoothed edge, out of 255. */
const maxDifference = 48;

const doubleBytes = 8;
const floatBytes = 4;

/** Whether two loaded pages look the same, apart from their annotations. */
function lookAlike(library: Library, one: number, other: number): boolean {
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
function replaceByPicture(library: Library, document: number, page: number, drawn: number): void {
  const { functions, call, scratch, view } = library;
  // Removes objects from the first on, because PDFium searches for each from the first.
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
