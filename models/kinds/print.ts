import { type Box, number, print, type Sheet, shade, word } from "./sheet.ts";

/** Draws running text: prose, code, lists or contents. */
export function drawText(sheet: Sheet, box: Box): void {
  const { pen, random } = sheet;
  pen.fillStyle = shade(random.between(0, 70));
  const size = random.between(5, 9.5);
  const step = size * random.between(1.15, 1.9);
  const style = random.pick(["prose", "prose", "prose", "code", "list", "contents", "index", "ragged", "formulas"]);
  const columns = style === "index" ? random.count(2, 3) : random.chance(0.25) && style === "prose" ? 2 : 1;
  const width = (box.width - (columns - 1) * 14) / columns;
  for (let column = 0; column < columns; column += 1) {
    const left = box.x + column * (width + 14);
    let indent = 0;
    for (let y = box.y + size; y < box.y + box.height; y += step) {
      if (random.chance(style === "prose" ? 0.05 : 0.12)) y += step * 0.7;
      if (random.chance(0.03)) {
        print(sheet, line(sheet, width * random.between(0.2, 0.6), size * 1.3), left, y, size * 1.3);
        y += step * 0.5;
        continue;
      }
      if (style === "code") indent = Math.max(0, Math.min(5, indent + random.count(-1, 1)));
      const end = endOf(sheet, style);
      const from = left + indent * 10 + (style === "formulas" && random.chance(0.3) ? width * 0.3 : 0);
      const text = line(sheet, (left + width - from) * end, size);
      if (style === "list" && random.chance(0.5)) print(sheet, "•", left, y, size);
      print(sheet, text, from + (style === "list" ? 8 : 0), y, size);
      if (style === "contents") print(sheet, String(random.count(1, 400)), left + width - 14, y, size);
      if (style === "contents" && random.chance(0.7)) {
        print(sheet, ". ".repeat(60), from + width * end, y, size, (width * (1 - end) - 18) / 1.2);
      }
    }
  }
  shadeBehind(sheet, box);
  if (random.chance(0.25)) sheet.words.push(`as figure ${random.count(1, 9)} shows, see table ${random.count(1, 9)}`);
}

/** Draws shaded or framed examples and rules, because not every line and tone belongs to a table or a picture. */
function shadeBehind({ pen, random }: Sheet, box: Box): void {
  if (random.chance(0.55)) return;
  pen.lineWidth = random.between(0.5, 1.5);
  let y = box.y + random.between(0, 0.3) * box.height;
  for (let frame = random.count(1, 6); frame > 0 && y < box.y + box.height - 8; frame -= 1) {
    const height = Math.min(box.y + box.height - y, random.between(0.03, 0.4) * box.height);
    pen.strokeStyle = shade(random.between(0, 180));
    pen.globalCompositeOperation = "multiply";
    pen.fillStyle = shade(random.between(205, 245));
    const style = random.pick(["shaded", "shaded", "framed", "both"]);
    if (style !== "framed") pen.fillRect(box.x - 3, y, box.width + 6, height);
    if (style !== "shaded") pen.strokeRect(box.x - 3, y, box.width + 6, height);
    pen.globalCompositeOperation = "source-over";
    y += height + random.between(0.02, 0.3) * box.height;
  }
}

function endOf({ random }: Sheet, style: string): number {
  if (style === "prose") return random.chance(0.1) ? random.between(0.2, 0.9) : 1;
  if (style === "contents") return random.between(0.2, 0.7);
  return random.between(0.2, 1);
}

/** Returns words that fill a width in pixels. */
export function line(sheet: Sheet, width: number, size: number): string {
  const parts: string[] = [];
  for (let reach = 0; reach < width - size * 2;) {
    const next = sheet.random.chance(0.04) ? number(sheet) : word(sheet);
    parts.push(next);
    reach += (next.length + 1) * size * 0.46;
  }
  return parts.join(" ");
}

/** Draws heading, page number and running title. */
export function drawFurniture(sheet: Sheet): void {
  const { pen, random, width, height } = sheet;
  pen.fillStyle = shade(0);
  if (random.chance(0.6))
    print(sheet, String(random.count(1, 900)), width * random.pick([0.1, 0.5, 0.88]), height * 0.96, 7);
  if (random.chance(0.4)) print(sheet, line(sheet, width * 0.4, 7), width * 0.1, height * 0.045, 7);
  if (random.chance(0.25)) {
    pen.fillRect(width * 0.08, height * random.pick([0.055, 0.94]), width * 0.84, random.between(0.5, 1));
  }
}
