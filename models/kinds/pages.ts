import type { Raster } from "../../server/embedding/raster.ts";
import type { Kind } from "../../server/embedding/kind/kinds.ts";
import { drawBars, drawLines } from "./charts.ts";
import { drawDiagram, drawDrawing, drawMap, drawPhoto } from "./pictures.ts";
import { drawFurniture, drawText, line } from "./print.ts";
import { type Box, createRandom, createSheet, print, type Sheet, shade } from "./sheet.ts";
import { drawForm, drawTable } from "./tables.ts";

export interface DrawnPage {
  readonly picture: Raster;
  readonly words: string;
  readonly kinds: ReadonlySet<Kind>;
}

const drawers: Record<Kind, (sheet: Sheet, box: Box) => void> = {
  "bar-chart": drawBars,
  "line-graph": drawLines,
  table: drawTable,
  map: drawMap,
  photo: drawPhoto,
  form: drawForm,
  diagram: drawDiagram,
  drawing: drawDrawing,
};

/** Draws a page. Two of ten pages have only text; the others show the given kind, some of them with another kind beside it. */
export function drawPage(seed: number, kind: Kind | undefined): DrawnPage {
  const random = createRandom(seed);
  const sheet = createSheet(random);
  const kinds = new Set<Kind>();
  const margin = random.between(0.06, 0.14) * sheet.width;
  let y = random.between(0.05, 0.1) * sheet.height;
  const end = sheet.height * random.between(0.88, 0.95);
  const width = sheet.width - 2 * margin;
  const text = (height: number): void => {
    if (height < 20) return;
    drawText(sheet, { x: margin, y, width, height });
    y += height + 8;
  };
  if (kind === undefined) text((end - y) * (random.chance(0.75) ? 1 : random.between(0.1, 0.8)));
  else {
    const isWhole = kind === "form" ? random.chance(0.6) : random.chance(0.2);
    const rest = end - y;
    if (!isWhole && random.chance(0.7)) text(rest * random.between(0.05, 0.5));
    const shown = [kind, ...(!isWhole && random.chance(0.15) ? [random.pick(choices)] : [])];
    for (const one of shown) {
      const height = Math.min(end - y - 22, isWhole ? rest : rest * random.between(0.13, 0.45));
      if (height < 60) continue;
      const share = isWhole ? 1 : random.pick([1, 1, random.between(0.5, 1), random.between(0.35, 0.55)]);
      const taken = Math.max(150, (width - 44) * share);
      const isAside = taken < 0.6 * width && random.chance(0.6);
      const left = margin + 22 + (isAside ? 0 : (width - 44 - taken) * random.pick([0, 0.5, 1]));
      drawers[one](sheet, { x: left, y: y + 4, width: taken, height: height - 12 });
      kinds.add(one);
      // Text beside a small picture: another column, or the text that the picture illustrates.
      if (isAside) drawText(sheet, { x: left + taken + 14, y, width: width - taken - 36, height });
      y += height + 12;
      caption(sheet, one, left, y - 6, taken);
      y += 12;
    }
    if (random.chance(0.8)) text(end - y);
  }
  drawFurniture(sheet);
  const { picture, words } = sheet.finish();
  return { picture, words: random.chance(0.25) ? "" : words, kinds };
}

const choices: readonly Kind[] = ["bar-chart", "line-graph", "table", "map", "photo", "diagram", "drawing"];

function caption(sheet: Sheet, kind: Kind, x: number, y: number, width: number): void {
  if (kind === "form" || !sheet.random.chance(0.5)) return;
  const name = kind === "table" ? "Table" : sheet.random.pick(["Figure", "Fig."]);
  sheet.pen.fillStyle = shade(0);
  print(sheet, `${name} ${sheet.random.count(1, 20)}: ${line(sheet, width * 0.5, 7)}`, x, y, 7);
}
