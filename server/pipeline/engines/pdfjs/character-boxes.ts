import type { PDFPageProxy } from "pdfjs-dist/legacy/build/pdf.mjs";
import type { CharacterBox, ChosenCharacters } from "../engine.ts";
import { readLayout } from "../layout/layout.ts";
import type { Pdfjs } from "./library.ts";
import type { DrawnGlyph } from "./pen.ts";
import { drawnOn, type Layers } from "./text.ts";

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
