import { type Box, number, print, type Sheet, shade, word } from "./sheet.ts";

export function drawBars(sheet: Sheet, box: Box): void {
  const { pen, random } = sheet;
  axes(sheet, box);
  const count = random.count(3, random.chance(0.3) ? 60 : 20);
  const series = random.count(1, 3);
  const isLying = random.chance(0.3);
  const along = isLying ? box.height : box.width;
  const across = isLying ? box.width : box.height;
  const slot = along / count;
  const share = random.pick([1, random.between(0.4, 0.95)]);
  const isPeaked = random.chance(0.3);
  const shades = Array.from({ length: series }, () => shade(random.between(0, 200)));
  for (let bar = 0; bar < count; bar += 1) {
    for (let part = 0; part < series; part += 1) {
      const peak = isPeaked ? Math.exp(-((((bar + 0.5) / count - 0.5) * 4) ** 2)) : 1;
      const length = across * peak * random.between(isPeaked ? 0.7 : 0.04, 0.95);
      const breadth = (slot * share) / series;
      const at = bar * slot + part * breadth + slot * 0.05;
      pen.fillStyle = shades[part] ?? shade(90);
      if (isLying) pen.fillRect(box.x, box.y + at, length, breadth);
      else pen.fillRect(box.x + at, box.y + box.height - length, breadth, length);
    }
  }
}

export function drawLines(sheet: Sheet, box: Box): void {
  const { pen, random } = sheet;
  axes(sheet, box);
  for (let series = random.count(1, 5); series > 0; series -= 1) {
    pen.strokeStyle = shade(random.between(0, 170));
    pen.lineWidth = random.between(0.7, 2.5);
    pen.setLineDash(random.chance(0.2) ? [4, 3] : []);
    const points = random.pick([8, 14, 60]);
    const [start, slope, swing, waves] = [
      random.between(0.1, 0.9),
      random.between(-0.8, 0.8),
      random.between(0, 0.35),
      random.between(0, 5),
    ];
    const jitter = random.chance(0.5) ? 0.12 : 0.01;
    pen.beginPath();
    for (let point = 0; point <= points; point += 1) {
      const t = point / points;
      const value = start + slope * (t - 0.5) + swing * Math.sin(waves * t * 6.3) + jitter * random.between(-1, 1);
      const [x, y] = [box.x + t * box.width, box.y + box.height * (1 - Math.max(0, Math.min(1, value)))];
      if (point === 0) pen.moveTo(x, y);
      else pen.lineTo(x, y);
      if (points < 20 && series % 2 === 0) pen.strokeRect(x - 1, y - 1, 2, 2);
    }
    pen.stroke();
  }
  pen.setLineDash([]);
}

function axes(sheet: Sheet, box: Box): void {
  const { pen, random } = sheet;
  pen.strokeStyle = shade(random.between(0, 90));
  pen.fillStyle = shade(random.between(0, 60));
  pen.lineWidth = random.between(0.6, 1.5);
  if (random.chance(0.6)) pen.strokeRect(box.x, box.y, box.width, box.height);
  else {
    pen.beginPath();
    pen.moveTo(box.x, box.y);
    pen.lineTo(box.x, box.y + box.height);
    pen.lineTo(box.x + box.width, box.y + box.height);
    pen.stroke();
  }
  const hasGrid = random.chance(0.4);
  const ticks = random.count(3, 9);
  for (let tick = 0; tick <= ticks; tick += 1) {
    const y = box.y + (box.height * tick) / ticks;
    print(sheet, number(sheet), box.x - 22, y + 2, 6, 18);
    print(
      sheet,
      random.chance(0.5) ? number(sheet) : word(sheet),
      box.x + (box.width * tick) / ticks - 8,
      box.y + box.height + 9,
      6,
      30,
    );
    if (!hasGrid) continue;
    pen.fillRect(box.x, y, box.width, 0.5);
    if (random.chance(0.5)) pen.fillRect(box.x + (box.width * tick) / ticks, box.y, 0.5, box.height);
  }
}
