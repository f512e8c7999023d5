import type { PageDrawing } from "../../../embedding/ocr/drawing.ts";
import { hasAnnotations } from "./annotations.ts";
import { areaOf, type Box, boxThrough, common, identity, type Matrix, times, toMatrix } from "../matrix.ts";
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
  const whole = pageBox(library, page);
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
        covered += areaOf(common(boxThrough(matrix, boundsOf(library, object)), whole));
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

/** The part of the page that is shown, in its own coordinates. */
function pageBox({ functions, call, scratch, view }: Library, page: number): Box {
  return scratch(4 * floatBytes, (pointer) => {
    call(() => functions.FPDF_GetPageBoundingBox(page, pointer));
    // FS_RECTF: left, top, right, bottom.
    const [left, top, right, bottom] = floatsAt(view(), pointer, 4);
    return { left: left ?? 0, bottom: bottom ?? 0, right: right ?? 0, top: top ?? 0 };
  });
}

/** Of an object, in the coordinates of the page or form that it is in. */
function boundsOf({ functions, call, scratch, view }: Library, object: number): Box {
  return scratch(4 * floatBytes, (pointer) => {
    const [left, bottom, right, top] = [0, 1, 2, 3].map((place) => pointer + place * floatBytes);
    call(() => functions.FPDFPageObj_GetBounds(object, left ?? 0, bottom ?? 0, right ?? 0, top ?? 0));
    const edges = floatsAt(view(), pointer, 4);
    return { left: edges[0] ?? 0, bottom: edges[1] ?? 0, right: edges[2] ?? 0, top: edges[3] ?? 0 };
  });
}

function matrixOf({ functions, call, scratch, view }: Library, object: number): Matrix {
  return scratch(6 * floatBytes, (pointer) => {
    if (!call(() => functions.FPDFPageObj_GetMatrix(object, pointer))) return identity;
    return toMatrix(floatsAt(view(), pointer, 6));
  });
}

const floatsAt = (heap: DataView, pointer: number, count: number): readonly number[] =>
  Array.from({ length: count }, (_, place) => heap.getFloat32(pointer + place * floatBytes, true));
