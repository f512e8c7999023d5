import { type Box, print, type Sheet, shade, word } from "./sheet.ts";

export function drawDiagram(sheet: Sheet, box: Box): void {
  const { pen, random } = sheet;
  pen.lineWidth = random.between(0.6, 1.6);
  pen.strokeStyle = shade(random.between(0, 90));
  const columns = random.count(2, 4);
  const rows = Math.max(1, Math.min(5, Math.round(box.height / random.between(50, 90))));
  const places = Array.from({ length: columns * rows }, (_, index) => ({
    x: box.x + ((index % columns) + 0.5 + random.between(-0.1, 0.1)) * (box.width / columns),
    y: box.y + (Math.floor(index / columns) + 0.5 + random.between(-0.1, 0.1)) * (box.height / rows),
  })).filter(() => random.chance(0.85));
  const half = {
    x: Math.min(45, (box.width / columns) * random.between(0.25, 0.38)),
    y: Math.min(16, (box.height / rows) * 0.3),
  };
  for (const from of places) {
    const to = random.pick(places);
    if (to === from) continue;
    arrow(sheet, from, to, random.chance(0.3));
  }
  const isRound = random.chance(0.25);
  for (const { x, y } of places) {
    pen.fillStyle = shade(random.chance(0.3) ? random.between(200, 240) : 255);
    pen.beginPath();
    if (isRound) pen.ellipse(x, y, half.x, half.y * 1.3, 0, 0, 7);
    else pen.rect(x - half.x, y - half.y, 2 * half.x, 2 * half.y);
    pen.fill();
    pen.stroke();
    pen.fillStyle = shade(0);
    print(sheet, word(sheet), x - half.x * 0.6, y + 2, 6, half.x * 1.5);
  }
}

function arrow({ pen }: Sheet, from: { x: number; y: number }, to: { x: number; y: number }, isAngled: boolean): void {
  pen.beginPath();
  pen.moveTo(from.x, from.y);
  if (isAngled) pen.lineTo(to.x, from.y);
  pen.lineTo(to.x, to.y);
  pen.stroke();
  const turn = Math.atan2(to.y - from.y, to.x - from.x);
  const tip = { x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 };
  if (isAngled) return;
  pen.fillStyle = pen.strokeStyle;
  pen.beginPath();
  pen.moveTo(tip.x + 5 * Math.cos(turn), tip.y + 5 * Math.sin(turn));
  pen.lineTo(tip.x - 3 * Math.sin(turn), tip.y + 3 * Math.cos(turn));
  pen.lineTo(tip.x + 3 * Math.sin(turn), tip.y - 3 * Math.cos(turn));
  pen.fill();
}

/** Draws smooth light and shade with grain and edges, like a camera's picture. */
export function drawPhoto(sheet: Sheet, box: Box): void {
  const { pen, random } = sheet;
  pen.save();
  pen.beginPath();
  pen.rect(box.x, box.y, box.width, box.height);
  pen.clip();
  const base = random.between(40, 200);
  pen.fillStyle = shade(base);
  pen.fillRect(box.x, box.y, box.width, box.height);
  for (let spot = random.count(15, 70); spot > 0; spot -= 1) {
    const [x, y] = [box.x + random.between(0, 1) * box.width, box.y + random.between(0, 1) * box.height];
    const radius = random.between(0.03, 0.5) * Math.max(box.width, box.height);
    const light = base + random.between(-150, 110);
    const glow = pen.createRadialGradient(x, y, radius * random.between(0, 0.9), x, y, radius);
    glow.addColorStop(0, shade(light, random.between(0.3, 0.9)));
    glow.addColorStop(1, shade(light, 0));
    pen.fillStyle = glow;
    pen.fillRect(box.x, box.y, box.width, box.height);
  }
  for (let grain = (box.width * box.height) / random.between(3, 40); grain > 0; grain -= 1) {
    pen.fillStyle = shade(base + random.between(-120, 120), random.between(0.1, 0.5));
    const size = random.between(0.7, 3);
    pen.fillRect(
      box.x + random.between(0, 1) * box.width,
      box.y + random.between(0, 1) * box.height,
      size,
      size * random.between(0.5, 2),
    );
  }
  pen.restore();
}

/** Draws areas with ragged borders, roads, rivers and scattered names. */
export function drawMap(sheet: Sheet, box: Box): void {
  const { pen, random } = sheet;
  pen.save();
  pen.beginPath();
  pen.rect(box.x, box.y, box.width, box.height);
  pen.clip();
  const isPlain = random.chance(0.3);
  const isPhoto = random.chance(0.25);
  pen.fillStyle = shade(isPlain ? 255 : random.between(190, 250));
  pen.fillRect(box.x, box.y, box.width, box.height);
  if (isPhoto) drawPhoto(sheet, box);
  for (let area = isPhoto ? 0 : random.count(2, 14); area > 0; area -= 1) {
    outline(sheet, box, random.between(0.08, 0.5));
    if (!isPlain) {
      pen.fillStyle = shade(random.between(110, 245), random.between(0.4, 1));
      pen.fill();
    }
    pen.strokeStyle = shade(random.between(20, 170));
    pen.lineWidth = random.between(0.5, 1.6);
    if (random.chance(0.7)) pen.stroke();
  }
  const isCity = random.chance(0.5);
  for (let road = random.count(3, isCity ? 160 : 30); road > 0; road -= 1) {
    pen.strokeStyle = shade(random.between(isCity ? 90 : 20, 255));
    pen.lineWidth = random.between(0.4, isCity ? 1.5 : 3);
    let [x, y, turn] = [
      box.x + random.between(0, 1) * box.width,
      box.y + random.between(0, 1) * box.height,
      random.between(0, 6.3),
    ];
    pen.beginPath();
    pen.moveTo(x, y);
    for (let step = random.count(4, 60); step > 0; step -= 1) {
      turn += random.between(-0.5, 0.5);
      [x, y] = [x + 7 * Math.cos(turn), y + 7 * Math.sin(turn)];
      pen.lineTo(x, y);
    }
    pen.stroke();
  }
  pen.fillStyle = shade(0);
  for (let name = random.count(3, 50); name > 0; name -= 1) {
    print(
      sheet,
      word(sheet),
      box.x + random.between(0, 0.95) * box.width,
      box.y + random.between(0.02, 1) * box.height,
      random.between(4, 8),
    );
  }
  pen.restore();
  pen.strokeStyle = shade(40);
  if (random.chance(0.7)) pen.strokeRect(box.x, box.y, box.width, box.height);
}

function outline({ pen, random }: Sheet, box: Box, size: number): void {
  const [x, y] = [box.x + random.between(0, 1) * box.width, box.y + random.between(0, 1) * box.height];
  const radius = size * Math.max(box.width, box.height);
  pen.beginPath();
  let reach = 1;
  for (let turn = 0; turn < 6.28; turn += random.between(0.05, 0.25)) {
    reach = Math.max(0.4, Math.min(1.4, reach + random.between(-0.15, 0.15)));
    pen.lineTo(x + reach * radius * Math.cos(turn), y + reach * radius * Math.sin(turn));
  }
  pen.closePath();
}

/** Draws strokes, hatching and shapes as by hand or by a drawing program: neither diagrams nor charts. */
export function drawDrawing(sheet: Sheet, box: Box): void {
  const { pen, random } = sheet;
  pen.save();
  pen.beginPath();
  pen.rect(box.x, box.y, box.width, box.height);
  pen.clip();
  pen.strokeStyle = shade(random.between(0, 60));
  const isGeometric = random.chance(0.45);
  for (let shape = random.count(3, isGeometric ? 14 : 30); shape > 0; shape -= 1) {
    pen.lineWidth = random.between(0.5, 2.2);
    const [x, y] = [box.x + random.between(0.1, 0.9) * box.width, box.y + random.between(0.1, 0.9) * box.height];
    const radius = random.between(0.05, 0.35) * Math.min(box.width, box.height);
    pen.beginPath();
    if (isGeometric) {
      if (random.chance(0.5))
        pen.ellipse(x, y, radius, radius * random.between(0.3, 1), random.between(0, 3), 0, random.pick([3, 6.3]));
      else
        for (let corner = 0; corner < 4; corner += 1)
          pen.lineTo(x + radius * random.between(-1, 1), y + radius * random.between(-1, 1));
      if (random.chance(0.25)) {
        pen.fillStyle = shade(random.between(60, 230));
        pen.fill();
      }
    } else {
      pen.moveTo(x, y);
      for (let stroke = random.count(2, 6); stroke > 0; stroke -= 1) {
        const near = (): number => random.between(-1.4, 1.4) * radius;
        pen.bezierCurveTo(x + near(), y + near(), x + near(), y + near(), x + near(), y + near());
      }
    }
    pen.stroke();
    if (!isGeometric && random.chance(0.5)) hatch(sheet, x, y, radius);
  }
  pen.restore();
}

function hatch({ pen, random }: Sheet, x: number, y: number, radius: number): void {
  const slope = random.between(-1, 1);
  pen.lineWidth = random.between(0.4, 0.9);
  pen.beginPath();
  for (let at = -radius; at < radius; at += random.between(1.5, 4)) {
    pen.moveTo(x + at, y - radius * 0.6 + slope * at);
    pen.lineTo(x + at + radius * 0.3 * slope, y + radius * 0.6 + slope * at);
  }
  pen.stroke();
}
