import type { PageDrawing } from "../../../embedding/ocr/text-layer.ts";
import { hasAnnotations } from "./annotations.ts";
import { areaOf, type Box, boxThrough, common, identity, type Matrix, times } from "../matrix.ts";
import type { Library } from "./library.ts";
import { boundsOf, matrixOf, objectTypes } from "./visibility/objects.ts";

/** Maximum objects to examine; a page with more has plenty of text. */
const maxObjects = 10_000;
/** Maximum nesting of forms; deeper ones count as if they showed pictures. */
const maxDepth = 16;

/** Describes the drawing of a loaded page, except its text. */
export function drawingOf(library: Library, page: number): Omit<PageDrawing, "signs"> {
  const { functions, call } = library;
  const whole = pageBox(library, page);
  const bounds = (object: number): Box =>
    library.scratch(4 * floatBytes, (pointer) => call(() => boundsOf(library, object, pointer)));
  let points = 0;
  let seen = 0;
  let hasPictures = false;
  let covered = 0;

  const visit = (count: number, objectAt: (index: number) => number, depth: number, matrix: Matrix): void => {
    for (let index = 0; index < count; index += 1) {
      seen += 1;
      if (seen > maxObjects || depth > maxDepth) {
        hasPictures = true;
        return;
      }
      const object = call(() => objectAt(index));
      const type = call(() => functions.FPDFPageObj_GetType(object));
      if (type === objectTypes.image) {
        hasPictures = true;
        covered += areaOf(common(boxThrough(matrix, bounds(object)), whole));
      }
      if (type === objectTypes.path) {
        points += Math.max(
          0,
          call(() => functions.FPDFPath_CountSegments(object)),
        );
      }
      if (type !== objectTypes.form) continue;
      const within = call(() => functions.FPDFFormObj_CountObjects(object));
      const inner = times(matrix, matrixOf(library, object));
      visit(within, (at) => functions.FPDFFormObj_GetObject(object, at), depth + 1, inner);
    }
  };

  const objects = call(() => functions.FPDFPage_CountObjects(page));
  visit(objects, (index) => functions.FPDFPage_GetObject(page, index), 0, identity);
  const pictureShare = areaOf(whole) > 0 ? covered / areaOf(whole) : 0;
  return { points, hasPictures: hasPictures || hasAnnotations(library, page), pictureShare };
}

const floatBytes = 4;

/** Returns the visible part of the page, in its own coordinates. */
function pageBox({ functions, call, scratch, view }: Library, page: number): Box {
  return scratch(4 * floatBytes, (pointer) => {
    call(() => functions.FPDF_GetPageBoundingBox(page, pointer));
    // FS_RECTF: left, top, right, bottom.
    const edge = (place: number): number => view().getFloat32(pointer + place * floatBytes, true);
    return { left: edge(0), bottom: edge(3), right: edge(2), top: edge(1) };
  });
}
