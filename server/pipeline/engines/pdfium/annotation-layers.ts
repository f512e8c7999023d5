import { DocumentError, PageError } from "../../errors.ts";
import { openWithPdfjs } from "../pdfjs/engine.ts";
import type { AnnotationLayer, PdfjsDocument } from "../pdfjs/document.ts";
import type { Library } from "./library.ts";

/** Hides annotations whose layer is off, because PDFium would draw them. */
export interface AnnotationLayers {
  /** Hides these annotations of a loaded page while the document is open. */
  hideOff(page: number, handle: number): Promise<void>;
  close(): Promise<void>;
}

/** Subtypes of annotations, fpdf_annot.h. */
const subtypes = { popup: 16, widget: 20 } as const;
const hiddenFlag = 2;
/** Maximum annotations of a page that the second engine looks up; if there are more, those with a layer are hidden. */
const maxAnnotations = 2_000;

interface Placed {
  readonly index: number;
  readonly subtype: number;
  readonly number: number;
  readonly hasLayer: boolean;
}

/**
 * Opens the layers of a document's annotations. PDFium neither reports the state of a layer nor respects the layers of
 * annotations, so the second engine looks them up. It is loaded only for pages with such annotations.
 */
export function annotationLayersOf(library: Library, file: string): AnnotationLayers {
  const done = new Set<number>();
  let second: Promise<PdfjsDocument> | undefined;
  const layersOf = async (page: number): Promise<readonly AnnotationLayer[]> => {
    second ??= openWithPdfjs(file);
    try {
      return await (await second).annotationLayers(page);
    } catch (cause) {
      // The second engine cannot read the document or the page, so annotations with a layer count as off.
      if (cause instanceof DocumentError || cause instanceof PageError) return [];
      throw cause;
    }
  };
  return {
    async hideOff(page, handle) {
      if (done.has(page)) return;
      const placed = annotationsOf(library, handle);
      if (placed.some(({ hasLayer }) => hasLayer)) {
        const isOn = matched(placed, placed.length > maxAnnotations ? [] : await layersOf(page));
        for (const annotation of placed) {
          if (annotation.hasLayer && !isOn(annotation)) hide(library, handle, annotation.index);
        }
      }
      done.add(page);
    },
    async close() {
      const document = await second?.catch(() => undefined);
      await document?.close();
    },
  };
}

function annotationsOf(library: Library, page: number): readonly Placed[] {
  const { functions, call } = library;
  const count = call(() => functions.FPDFPage_GetAnnotCount(page));
  const found: Placed[] = [];
  for (let index = 0; index < count; index += 1) {
    withAnnotation(library, page, index, (annotation) =>
      found.push({
        index,
        subtype: call(() => functions.FPDFAnnot_GetSubtype(annotation)),
        number: call(() => functions.EPDFAnnot_GetObjectNumber(annotation)),
        hasLayer: call(() => functions.FPDFAnnot_HasKey(annotation, "OC")),
      }),
    );
  }
  return found;
}

/**
 * Matches annotations by number, or if they have none, by their order within each kind. Annotations unknown to the second engine
 * are off.
 */
function matched(placed: readonly Placed[], layers: readonly AnnotationLayer[]): (annotation: Placed) => boolean {
  const on = new Set(layers.filter(({ isOn }) => isOn).map(({ number }) => number));
  const isOf = (kind: number) => (annotation: Placed) => kindOf(annotation) === kind;
  const within = placed.filter(({ number }) => number === 0);
  const inOrder = [0, subtypes.widget, subtypes.popup].flatMap((kind) => within.filter(isOf(kind)));
  const states = layers.filter(({ number }) => number === 0);
  const isKnown = states.length === inOrder.length;
  const onWithin = new Set(isKnown ? inOrder.filter((_annotation, at) => states[at]?.isOn === true) : []);
  return (annotation) => (annotation.number === 0 ? onWithin.has(annotation) : on.has(annotation.number));
}

function kindOf({ subtype }: Placed): number {
  return subtype === subtypes.widget || subtype === subtypes.popup ? subtype : 0;
}

function hide(library: Library, page: number, index: number): void {
  const { functions, call } = library;
  withAnnotation(library, page, index, (annotation) => {
    const flags = call(() => functions.FPDFAnnot_GetFlags(annotation));
    call(() => functions.FPDFAnnot_SetFlags(annotation, flags | hiddenFlag));
  });
}

function withAnnotation({ functions, call }: Library, page: number, index: number, use: (annotation: number) => void) {
  const annotation = call(() => functions.FPDFPage_GetAnnot(page, index));
  if (annotation === 0) return;
  use(annotation);
  call(() => functions.FPDFPage_CloseAnnot(annotation));
}
