import type { PageDrawing } from "../../../embedding/ocr/drawing.ts";
import { hasAnnotations } from "./annotations.ts";
import type { Library } from "./library.ts";

/** Of page objects, fpdf_edit.h. */
const objectTypes = { path: 2, image: 3, form: 5 } as const;

/** Objects that are looked at; a page of more has plenty to read. */
const maxObjects = 10_000;
/** Forms within forms; deeper ones count as if they showed pictures. */
const maxDepth = 16;

/** What a loaded page is drawn with; its text is the caller's. */
export function drawingOf(library: Library, page: number): Omit<PageDrawing, "signs"> {
  const { functions, call } = library;
  let points = 0;
  let seen = 0;

  const hasPicture = (count: number, objectAt: (index: number) => number, depth: number): boolean => {
    for (let index = 0; index < count; index += 1) {
      seen += 1;
      if (seen > maxObjects || depth > maxDepth) return true;
      const object = call(() => objectAt(index));
      const type = call(() => functions.FPDFPageObj_GetType(object));
      if (type === objectTypes.image) return true;
      if (type === objectTypes.path)
        points += Math.max(
          0,
          call(() => functions.FPDFPath_CountSegments(object)),
        );
      if (type !== objectTypes.form) continue;
      const within = call(() => functions.FPDFFormObj_CountObjects(object));
      if (hasPicture(within, (inner) => functions.FPDFFormObj_GetObject(object, inner), depth + 1)) return true;
    }
    return false;
  };

  const objects = call(() => functions.FPDFPage_CountObjects(page));
  const hasPictures =
    hasPicture(objects, (index) => functions.FPDFPage_GetObject(page, index), 0) || hasAnnotations(library, page);
  return { points, hasPictures };
}
