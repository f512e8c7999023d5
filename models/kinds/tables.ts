import { line } from "./print.ts";
import { type Box, number, print, type Sheet, shade, word } from "./sheet.ts";

export function drawTable(sheet: Sheet, box: Box): void {
  const { pen, random } = sheet;
  const columns = random.count(2, 9);
  const size = random.between(5, 8);
  const step = size * random.between(1.3, 2.6);
  const rows = Math.max(3, Math.min(random.count(4, 40), Math.floor(box.height / step)));
  const style = random.pick(["grid", "rows", "booktabs", "booktabs", "bare", "striped"]);
  const ends = Array.from({ length: columns }, () => random.between(0.5, 1.5));
  const total = ends.reduce((sum, share) => sum + share, 0);
  const isNumeric = ends.map((_, column) => column > 0 && random.chance(0.65));
  const bottom = box.y + rows * step;
  pen.strokeStyle = shade(random.between(0, 140));
  pen.lineWidth = random.between(0.5, 1.3);
  let x = box.x;
  for (let column = 0; column < columns; column += 1) {
    const width = (box.width * (ends[column] ?? 1)) / total;
    for (let row = 0; row < rows; row += 1) {
      const y = box.y + row * step;
      if (column === 0 && style === "striped" && row % 2 === 1) {
        pen.fillStyle = shade(random.pick([225, 235]));
        pen.fillRect(box.x, y, box.width, step);
      }
      if (column === 0 && row > 0 && (style === "grid" || style === "rows")) pen.strokeRect(box.x, y, box.width, 0.1);
      pen.fillStyle = shade(0);
      const isHead = row === 0;
      const text =
        isHead || !isNumeric[column]
          ? line(sheet, width * random.between(0.3, 0.85), size) || word(sheet)
          : number(sheet);
      if (random.chance(0.94)) print(sheet, text, x + 3, y + step * 0.7, size, width - 5);
    }
    if (style === "grid" && column > 0) pen.strokeRect(x, box.y, 0.1, rows * step);
    x += width;
  }
  if (style === "grid" || (style !== "bare" && random.chance(0.3)))
    pen.strokeRect(box.x, box.y, box.width, rows * step);
  if (style === "booktabs") for (const y of [box.y, box.y + step, bottom]) pen.strokeRect(box.x, y, box.width, 0.1);
}

export function drawForm(sheet: Sheet, box: Box): void {
  const { pen, random } = sheet;
  const size = random.between(5, 8);
  const style = random.pick(["boxes", "lines", "cells"]);
  pen.strokeStyle = shade(random.between(0, 160));
  pen.lineWidth = random.between(0.4, 1.2);
  let y = box.y + size;
  while (y < box.y + box.height - 14) {
    const fields = random.count(1, style === "cells" ? 4 : 3);
    const height = random.between(9, 24);
    if (random.chance(0.12)) {
      print(sheet, line(sheet, box.width * random.between(0.4, 1), size), box.x, y, size);
      y += size * 2;
      continue;
    }
    for (let field = 0; field < fields; field += 1) {
      const width = box.width / fields;
      const x = box.x + field * width;
      pen.fillStyle = shade(0);
      const label = `${word(sheet)} ${word(sheet)}:`;
      print(sheet, label, x + 2, y + size * 0.3, size, width * 0.45);
      if (style === "cells") pen.strokeRect(x, y - size, width, height + size * 0.6);
      else if (style === "lines") pen.strokeRect(x + width * 0.42, y + 2, width * 0.52, 0.1);
      else {
        if (random.chance(0.3)) {
          pen.fillStyle = shade(random.between(210, 245));
          pen.fillRect(x + width * 0.42, y - size, width * 0.52, height - 4);
        }
        pen.strokeRect(x + width * 0.42, y - size, width * 0.52, height - 4);
      }
    }
    if (random.chance(0.25)) {
      y += height;
      for (let choice = 0; choice < random.count(2, 5); choice += 1) {
        pen.strokeRect(box.x + choice * 70, y - 6, 7, 7);
        print(sheet, word(sheet), box.x + choice * 70 + 10, y, size);
      }
    }
    if (random.chance(0.15)) sheet.words.push("________");
    y += height + random.between(0, 10);
  }
}
