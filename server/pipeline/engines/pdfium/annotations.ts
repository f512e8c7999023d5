import type { Library } from "./library.ts";

/** Subtypes of annotations, fpdf_annot.h: links and pop-up windows of notes show nothing by themselves. */
const subtypes = { link: 2, popup: 16 } as const;
/** Flags that keep annotations off the page (ISO 32000-1, table 165); Invisible applies to unknown types. */
const flags = { invisible: 1, hidden: 2, noView: 32 } as const;
const unknownType = 0;
/** FPDFPage_Flatten: the mode of a screen, and the result if there was something to flatten. */
const [asOnScreen, flattened] = [0, 1];

/** Maximum annotations of a page to read, because the time grows faster than their number. */
const maxAnnotations = 5_000;

/** Whether an annotation is drawn. */
function isShown(library: Library, page: number, index: number): boolean {
  const { functions, call } = library;
  const annotation = call(() => functions.FPDFPage_GetAnnot(page, index));
  if (annotation === 0) return false;
  const shown = isVisible(library, annotation);
  call(() => functions.FPDFPage_CloseAnnot(annotation));
  return shown;
}

function isVisible({ functions, call }: Library, annotation: number): boolean {
  const subtype = call(() => functions.FPDFAnnot_GetSubtype(annotation));
  if (subtype === subtypes.link || subtype === subtypes.popup) return false;
  return !isKeptOff(
    call(() => functions.FPDFAnnot_GetFlags(annotation)),
    subtype,
  );
}

const isKeptOff = (flagsOf: number, subtype: number): boolean =>
  (flagsOf & (flags.hidden | flags.noView | (subtype === unknownType ? flags.invisible : 0))) !== 0;

/** Removes the annotations that their flags keep off a loaded page. Returns whether there were any. */
export function removeHiddenAnnotations({ functions, call }: Library, page: number): boolean {
  let removed = false;
  for (let index = call(() => functions.FPDFPage_GetAnnotCount(page)) - 1; index >= 0; index -= 1) {
    const annotation = call(() => functions.FPDFPage_GetAnnot(page, index));
    if (annotation === 0) continue;
    const subtype = call(() => functions.FPDFAnnot_GetSubtype(annotation));
    const isHidden = isKeptOff(
      call(() => functions.FPDFAnnot_GetFlags(annotation)),
      subtype,
    );
    call(() => functions.FPDFPage_CloseAnnot(annotation));
    if (isHidden && call(() => functions.FPDFPage_RemoveAnnot(page, index))) removed = true;
  }
  return removed;
}

/** Whether the page shows annotations, such as fields, notes in words and stamps. */
export function hasAnnotations(library: Library, page: number): boolean {
  const count = library.call(() => library.functions.FPDFPage_GetAnnotCount(page));
  for (let index = 0; index < count; index += 1) if (isShown(library, page, index)) return true;
  return false;
}

/**
 * Reduces a page of a copy to its annotations, which become its content. Returns false if they show nothing. The page must be
 * loaded again afterwards.
 */
export function keepAnnotations(library: Library, page: number): boolean {
  const { functions, call } = library;
  // From the last to the first, so that the other indices stay valid.
  for (let index = call(() => functions.FPDFPage_GetAnnotCount(page)) - 1; index >= 0; index -= 1) {
    if (index >= maxAnnotations || !isShown(library, page, index))
      call(() => functions.FPDFPage_RemoveAnnot(page, index));
  }
  for (let index = call(() => functions.FPDFPage_CountObjects(page)) - 1; index >= 0; index -= 1) {
    const object = call(() => functions.FPDFPage_GetObject(page, index));
    if (call(() => functions.FPDFPage_RemoveObject(page, object))) call(() => functions.FPDFPageObj_Destroy(object));
  }
  call(() => functions.FPDFPage_GenerateContent(page));
  return call(() => functions.FPDFPage_Flatten(page, asOnScreen)) === flattened;
}
