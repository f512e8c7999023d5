import type { PDFPageProxy } from "pdfjs-dist/legacy/build/pdf.mjs";
import { type Box, identity, type Matrix, toMatrix } from "../matrix.ts";
import type { Pdfjs } from "./library.ts";
import { type DrawnGlyph, type Font, Pen, plainFont } from "./pen.ts";

/** What a page is drawn with, in the order in which it is drawn: forms and annotations included. */
export interface DrawnPage {
  readonly glyphs: readonly DrawnGlyph[];
  /** Where it has pictures. */
  readonly pictures: readonly Box[];
}

/**
 * The glyphs and pictures of a page. The list of operators has each glyph with its width; the text that pdf.js gives has only
 * that of several together.
 */
export async function drawnOn(pdfjs: Pdfjs, page: PDFPageProxy): Promise<DrawnPage> {
  const { fnArray, argsArray } = await page.getOperatorList();
  const pen = new Pen((name) => fontOf(page, name));
  const operators = operatorsOf(pdfjs, pen);
  fnArray.forEach((operator, index) => {
    const args: unknown = argsArray[index];
    operators.get(operator)?.(Array.isArray(args) ? args : []);
  });
  return pen;
}

/** Operators that draw a picture into the unit square; those that repeat one are counted once. */
export const pictureOperators = ({ OPS }: Pdfjs): readonly number[] => [
  OPS.paintImageMaskXObject,
  OPS.paintImageMaskXObjectGroup,
  OPS.paintImageMaskXObjectRepeat,
  OPS.paintImageXObject,
  OPS.paintImageXObjectRepeat,
  OPS.paintInlineImageXObject,
  OPS.paintInlineImageXObjectGroup,
  OPS.paintSolidColorImageMask,
];

type Operator = (args: readonly unknown[]) => void;

/** The operators of pdf.js that places of text depend on. */
function operatorsOf(pdfjs: Pdfjs, pen: Pen): ReadonlyMap<number, Operator> {
  const { OPS } = pdfjs;
  const numbers =
    (use: (first: number, second: number) => void): Operator =>
    (args) =>
      use(Number(args[0] ?? 0), Number(args[1] ?? 0));
  return new Map<number, Operator>([
    [OPS.save, () => pen.save()],
    [OPS.restore, () => pen.restore()],
    [OPS.transform, (args) => pen.transform(matrixOf(args))],
    [OPS.beginGroup, () => pen.save()],
    [OPS.endGroup, () => pen.restore()],
    [OPS.paintFormXObjectBegin, ([matrix]) => pen.save().transform(matrixOf(matrix))],
    [OPS.paintFormXObjectEnd, () => pen.restore()],
    // It begins anew from the page.
    [
      OPS.beginAnnotation,
      (args) =>
        pen
          .save()
          .set({ transform: identity, isAdded: true })
          .transform(matrixOf(args[2]))
          .transform(matrixOf(args[3])),
    ],
    [OPS.endAnnotation, () => pen.restore()],
    [OPS.beginText, () => pen.begin(identity)],
    [OPS.setTextMatrix, (args) => pen.begin(matrixOf(args.length > 1 ? args : args[0]))],
    [OPS.setFont, ([name, size]) => pen.setFont(name, Number(size))],
    [OPS.setCharSpacing, numbers((characterSpacing) => pen.set({ characterSpacing }))],
    [OPS.setWordSpacing, numbers((wordSpacing) => pen.set({ wordSpacing }))],
    [OPS.setHScale, numbers((percent) => pen.set({ scale: percent / 100 }))],
    [OPS.setLeading, numbers((leading) => pen.set({ leading }))],
    [OPS.setTextRise, numbers((rise) => pen.set({ rise }))],
    [OPS.moveText, numbers((x, y) => pen.moveLine(x, y))],
    [OPS.setLeadingMoveText, numbers((x, y) => pen.set({ leading: -y }).moveLine(x, y))],
    [OPS.nextLine, () => pen.nextLine()],
    [OPS.showText, ([text]) => pen.show(text)],
    ...pictureOperators(pdfjs).map((operator): [number, Operator] => [operator, () => pen.picture()]),
  ]);
}

function fontOf({ commonObjs }: PDFPageProxy, name: unknown): Font {
  if (typeof name !== "string" || !commonObjs.has(name)) return plainFont;
  const font: unknown = commonObjs.get(name);
  if (typeof font !== "object" || font === null) return plainFont;
  const { vertical, fontMatrix }: Partial<Record<"vertical" | "fontMatrix", unknown>> = font;
  const matrix: readonly unknown[] = Array.isArray(fontMatrix) ? fontMatrix : [];
  return { isVertical: vertical === true, unit: Number(matrix[0] ?? plainFont.unit) };
}

/** An array, typed or not; anything else is no change. */
function matrixOf(value: unknown): Matrix {
  return toMatrix(Array.isArray(value) || value instanceof Float32Array ? Array.from(value, Number) : []);
}
