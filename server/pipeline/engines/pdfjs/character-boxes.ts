import type { PDFPageProxy } from "pdfjs-dist/legacy/build/pdf.mjs";
import type { CharacterBox, ChosenCharacters } from "../engine.ts";

/** Of a font's height: how far its letters reach below the line that they stand on. */
const descent = 0.2;

/**
 * The text of a page with the boxes of the characters that are chosen in it. Of a run of text only the whole length is known,
 * of which every character has the same part.
 */
export async function characterBoxes(
  page: PDFPageProxy,
  choose: (text: string) => Iterable<number>,
): Promise<ChosenCharacters> {
  const { items } = await page.getTextContent();
  const viewport = page.getViewport({ scale: 1 });
  const runs: Run[] = [];
  let text = "";
  for (const item of items) {
    if (!("str" in item)) continue;
    const { transform, width, height } = item;
    runs.push({ from: text.length, length: item.str.length, transform, width, height });
    text += `${item.str}${item.hasEOL ? "\n" : ""}`;
  }
  const toPage = (x: number, y: number): readonly [number, number] => {
    const [left = 0, top = 0] = viewport.convertToViewportPoint(x, y);
    return [left / viewport.width, top / viewport.height];
  };
  const boxes = new Map<number, CharacterBox>();
  for (const unit of choose(text)) {
    const run = runs.findLast(({ from }) => from <= unit);
    if (run === undefined || unit >= run.from + run.length) continue;
    boxes.set(unit, boxOf(run, unit - run.from, toPage));
  }
  return { text, boxes };
}

interface Run {
  readonly from: number;
  readonly length: number;
  /** a, b, c, d, e, f: where the text begins, which way it runs and which way is up. */
  readonly transform: readonly number[];
  readonly width: number;
  readonly height: number;
}

function boxOf(
  { length, transform, width, height }: Run,
  at: number,
  toPage: (x: number, y: number) => readonly [number, number],
): CharacterBox {
  const [a = 1, b = 0, c = 0, d = 1, e = 0, f = 0] = transform;
  const [along, up] = [unit(a, b), unit(c, d)];
  const corners = [at, at + 1].flatMap((place) =>
    [-descent * height, (1 - descent) * height].map((high) => {
      const far = (width * place) / length;
      return toPage(e + along[0] * far + up[0] * high, f + along[1] * far + up[1] * high);
    }),
  );
  const [xs, ys] = [corners.map(([x]) => x), corners.map(([, y]) => y)];
  return { left: Math.min(...xs), top: Math.min(...ys), right: Math.max(...xs), bottom: Math.max(...ys) };
}

function unit(x: number, y: number): readonly [number, number] {
  const length = Math.hypot(x, y) || 1;
  return [x / length, y / length];
}
