import type { PDFPageProxy } from "pdfjs-dist/legacy/build/pdf.mjs";
import type { PageDrawing } from "../../../embedding/ocr/text-layer.ts";
import { readLayout } from "../layout/layout.ts";
import { areaOf, common } from "../matrix.ts";
import type { Pdfjs } from "./library.ts";
import { drawnOn, type Layers, pictureOperators } from "./text.ts";

/** Annotations that show nothing by themselves. */
const invisible: ReadonlySet<unknown> = new Set(["Link", "Popup"]);
/** Numbers per point in a path's list: usually an operator and two coordinates. */
const numbersPerPoint = 3;

/** Describes the drawing of a page by its list of operators. */
export async function drawingOf(pdfjs: Pdfjs, page: PDFPageProxy, layers: Layers): Promise<PageDrawing> {
  const pictures: ReadonlySet<number> = new Set(pictureOperators(pdfjs));
  const { fnArray, argsArray } = await page.getOperatorList();
  const annotations: readonly { readonly subtype?: unknown }[] = await page.getAnnotations();
  const drawn = await drawnOn(pdfjs, page, layers);
  const { text } = readLayout(drawn.glyphs);
  const [left = 0, bottom = 0, right = 0, top = 0] = page.view;
  const whole = { left, bottom, right, top };
  let points = 0;
  fnArray.forEach((operator, index) => {
    if (operator === pdfjs.OPS.constructPath) points += pointsOf(argsArray[index]);
  });
  return {
    signs: text.replace(/\s+/g, "").length,
    points,
    hasPictures:
      fnArray.some((operator) => pictures.has(operator)) || annotations.some(({ subtype }) => !invisible.has(subtype)),
    pictureShare: drawn.pictures.reduce((sum, box) => sum + areaOf(common(box, whole)), 0) / (areaOf(whole) || 1),
  };
}

/** Counts points in the arguments of `constructPath`: the painting operator, the path's list, its bounds. */
function pointsOf(args: unknown): number {
  const [, lists]: readonly unknown[] = Array.isArray(args) ? args : [];
  const [list]: readonly unknown[] = Array.isArray(lists) ? lists : [];
  return list instanceof Float32Array ? list.length / numbersPerPoint : 0;
}
