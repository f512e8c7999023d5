import type { PDFPageProxy } from "pdfjs-dist/legacy/build/pdf.mjs";
import { areaOf, type Box, common, identity, type Matrix, toMatrix } from "../matrix.ts";
import type { Pdfjs } from "./library.ts";
import { type DrawnGlyph, type Font, Pen, plainFont } from "./pen.ts";
import type { CharacterBox, ChosenCharacters } from "../engine.ts";
import { readLayout } from "../layout/layout.ts";
import type { PageDrawing } from "../../../embedding/ocr/text-layer.ts";

/** The visible content of a page in drawing order, including forms and annotations. */
export interface DrawnPage {
  readonly glyphs: readonly DrawnGlyph[];
  /** The boxes of its pictures. */
  readonly pictures: readonly Box[];
}

/** Decides whether content that belongs to a layer, or to several layers by a rule, is shown. */
export interface Layers {
  isVisible(group: unknown): boolean;
}

/**
 * Returns the glyphs and pictures of a page that layers and the crop box do not hide. It reads the list of operators, which has
 * the width of each glyph, whereas the text API of pdf.js has only the width of several glyphs together.
 */
export async function drawnOn(pdfjs: Pdfjs, page: PDFPageProxy, layers: Layers): Promise<DrawnPage> {
  const { OPS } = pdfjs;
  const { fnArray, argsArray } = await page.getOperatorList();
  const pen = new Pen((name) => fontOf(page, name));
  const operators = operatorsOf(pdfjs, pen);
  /** Whether each marked content around the operator is shown. */
  const marks: boolean[] = [];
  fnArray.forEach((operator, index) => {
    const given: unknown = argsArray[index];
    const args: readonly unknown[] = Array.isArray(given) ? given : [];
    if (operator === OPS.beginMarkedContent) marks.push(true);
    if (operator === OPS.beginMarkedContentProps) marks.push(args[0] !== "OC" || layers.isVisible(args[1]));
    if (operator === OPS.endMarkedContent) marks.pop();
    const [glyphs, pictures] = [pen.glyphs.length, pen.pictures.length];
    operators.get(operator)?.(args);
    if (!marks.includes(false)) return;
    pen.glyphs.length = glyphs;
    pen.pictures.length = pictures;
  });
  return { glyphs: pen.glyphs.filter((glyph) => isOnPage(glyph, page)), pictures: pen.pictures };
}

/** Whether the middle of a glyph is within the crop box. */
function isOnPage({ x, y, dx, dy, advance }: DrawnGlyph, page: PDFPageProxy): boolean {
  const [left = 0, bottom = 0, right = 0, top = 0] = page.view;
  const [across, up] = [x + (dx * advance) / 2, y + (dy * advance) / 2];
  return across >= left && across <= right && up >= bottom && up <= top;
}

/** Operators that draw a picture into the unit square. An operator that repeats a picture counts once. */
const pictureOperators = ({ OPS }: Pdfjs): readonly number[] => [
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

/** Returns the operators of pdf.js on which the positions of text depend. */
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
    // An annotation starts from the page's coordinates.
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

/** Makes a matrix of an array, typed or not; anything else gives the identity. */
function matrixOf(value: unknown): Matrix {
  return toMatrix(Array.isArray(value) || value instanceof Float32Array ? Array.from(value, Number) : []);
}

/** Returns the text of a page with the boxes of the chosen characters. */
export async function characterBoxes(
  pdfjs: Pdfjs,
  page: PDFPageProxy,
  layers: Layers,
  choose: (text: string) => Iterable<number>,
): Promise<ChosenCharacters> {
  const { glyphs: drawn } = await drawnOn(pdfjs, page, layers);
  const { text, glyphs } = readLayout(drawn);
  const viewport = page.getViewport({ scale: 1 });
  const toPage = (x: number, y: number): readonly [number, number] => {
    const [left = 0, top = 0] = viewport.convertToViewportPoint(x, y);
    return [left / viewport.width, top / viewport.height];
  };
  const boxes = new Map<number, CharacterBox>();
  for (const unit of choose(text)) {
    const glyph = drawn[glyphs[unit] ?? -1];
    if (glyph !== undefined) boxes.set(unit, boxOf(glyph, toPage));
  }
  return { text, boxes };
}

function boxOf(
  { x, y, dx, dy, advance, low, high }: DrawnGlyph,
  toPage: (x: number, y: number) => readonly [number, number],
): CharacterBox {
  const corners = [0, advance].flatMap((far) =>
    [low, high].map((across) => toPage(x + dx * far - dy * across, y + dy * far + dx * across)),
  );
  const [xs, ys] = [corners.map(([left]) => left), corners.map(([, top]) => top)];
  return { left: Math.min(...xs), top: Math.min(...ys), right: Math.max(...xs), bottom: Math.max(...ys) };
}

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
