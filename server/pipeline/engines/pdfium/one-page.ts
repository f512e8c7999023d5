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

/** Does something with a document that has only this page. Undefined: the page cannot be copied. */
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

/** Of pages that may have layers: their own dictionaries, which PDFium writes readably, name them. */
const layerNames = /\/(?:OC|OCG|OCMD|Properties)(?![A-Za-z])/;
/** What may name a layer in its own dictionary instead of by marks. */
const ownLayer: ReadonlySet<number> = new Set([objectTypes.image]);

/**
 * A PDF of one page of a document, without what the page hides. A copy has no list of layers, which is the document's: what is
 * off would be shown by it.
 * `loaded`: the page in its document. Undefined: the page cannot be copied.
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
    // Of a page of more objects nobody knows what else is hidden, and writing it anew takes long.
    const removed = all.length < maxObjects && removeObjects(library, copy, all, hidden);
    withPage(library, copy, (page) => {
      // Forms do not stay in their place where they have a matrix and are written anew.
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
