import { shownParts } from "./copy/shown-parts.ts";
import { writeFileOf } from "./copy/write.ts";
import { readWritten, Reference } from "./copy/written.ts";
import type { FileWriter } from "./file-writer.ts";
import type { Library } from "./library.ts";
import { lookAlike, replaceByPicture } from "./page-picture.ts";
import { removeObjects } from "./remove-objects.ts";
import { removeHiddenAnnotations } from "./annotations.ts";
import { objectsOfOffLayers } from "./visibility/layers.ts";
import { hiddenTexts } from "./visibility/shown.ts";
import { maxObjects, objectTypes, pageObjects } from "./visibility/objects.ts";

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
      // Forms with a matrix do not keep their place when they are rewritten.
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
