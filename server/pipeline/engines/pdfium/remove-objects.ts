import type { Library } from "./library.ts";
import { objectTypes, pageObjects, type PageObject } from "./visibility/objects.ts";

/**
 * Removes objects from the only page of a copy, and rewrites its content. Returns false if some of them remain, for example in
 * nested forms, which PDFium does not rewrite.
 * `all` are the objects of the original page; `hidden` are those to remove, without forms.
 */
export function removeObjects(
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

/** Adds the forms that become empty, and everything in them. */
function withEmptyForms(all: readonly PageObject[], hidden: ReadonlySet<PageObject>): ReadonlySet<PageObject> {
  const gone = new Set(hidden);
  const kept = new Set<PageObject>();
  for (const object of all.toReversed()) {
    if (object.type === objectTypes.form && !kept.has(object)) gone.add(object);
    if (object.form !== undefined && !gone.has(object)) kept.add(object.form);
  }
  return gone;
}
