import type { PDFPageProxy } from "pdfjs-dist/legacy/build/pdf.mjs";
import type { PageDrawing } from "../../../embedding/ocr/drawing.ts";
import { readLayout } from "../layout/layout.ts";
import type { Pdfjs } from "./library.ts";
import { glyphsOf } from "./text.ts";

/** Annotations that show nothing by themselves. */
const invisible: ReadonlySet<unknown> = new Set(["Link", "Popup"]);
/** What the list of a path has for each of its points: mostly which curve it belongs to, and two coordinates. */
const numbersPerPoint = 3;

/** What a page is drawn with, as its list of operators says. */
export async function drawingOf(pdfjs: Pdfjs, page: PDFPageProxy): Promise<PageDrawing> {
  const { OPS } = pdfjs;
  const pictures: ReadonlySet<number> = new Set([
    OPS.paintImageMaskXObject,
    OPS.paintImageMaskXObjectGroup,
    OPS.paintImageMaskXObjectRepeat,
    OPS.paintImageXObject,
    OPS.paintImageXObjectRepeat,
    OPS.paintInlineImageXObject,
    OPS.paintInlineImageXObjectGroup,
    OPS.paintSolidColorImageMask,
  ]);
  const { fnArray, argsArray } = await page.getOperatorList();
  const annotations: readonly { readonly subtype?: unknown }[] = await page.getAnnotations();
  const { text } = readLayout(await glyphsOf(pdfjs, page));
  let points = 0;
  fnArray.forEach((operator, index) => {
    if (operator === OPS.constructPath) points += pointsOf(argsArray[index]);
  });
  return {
    signs: text.replace(/\s+/g, "").length,
    points,
    hasPictures:
      fnArray.some((operator) => pictures.has(operator)) || annotations.some(({ subtype }) => !invisible.has(subtype)),
  };
}

/** Of the arguments of `constructPath`: what is done with the path, its list, its bounds. */
function pointsOf(args: unknown): number {
  const [, lists]: readonly unknown[] = Array.isArray(args) ? args : [];
  const [list]: readonly unknown[] = Array.isArray(lists) ? lists : [];
  return list instanceof Float32Array ? list.length / numbersPerPoint : 0;
}
