import { describe, expect, it } from "vitest";
import { findLines } from "./find-lines.ts";
import { drawnPage, pageOf, prose, sans, write } from "./testing/drawn-page.ts";
import type { Line } from "./lines.ts";
import { stripOf } from "./strip.ts";

/** The baselines of `write`. */
function baselines(count: number, top: number, size: number): number[] {
  return Array.from({ length: count }, (_, index) => top + (index + 1) * size * 1.3);
}

/** Whether the line's rows contain the baseline at its left edge, and nothing of the lines above and below. */
function isAt(line: Line, baseline: number, size: number): boolean {
  return line.top < baseline && line.bottom > baseline - size * 0.2 && line.bottom - line.top < size * 1.3;
}

describe("lines of a page", () => {
  it.each([14, 20, 32, 60])("of letters %i pixels large are found whole and in order", (size) => {
    const page = drawnPage(60 * size, 900, (pen) => write(pen, prose, { left: 80, top: 60, size }));
    const lines = findLines(page);
    expect(lines).toHaveLength(prose.length);
    baselines(prose.length, 60, size).forEach((baseline, index) => {
      const line = lines[index];
      expect(line && isAt(line, baseline, size)).toBe(true);
      expect(line?.left).toBeLessThan(80 + size / 2);
    });
  });

  it.each([-5, -1.2, 0.7, 3])("of a sheet turned by %f degrees follow its slope", (degrees) => {
    const page = drawnPage(1200, 700, (pen) => {
      pen.rotate((degrees * Math.PI) / 180);
      write(pen, prose, { left: 120, top: 200, size: 26, font: sans });
    });
    const lines = findLines(page);
    expect(lines).toHaveLength(prose.length);
    for (const { slope } of lines) expect(slope).toBeCloseTo(Math.tan((degrees * Math.PI) / 180), 2);
  });

  it("in two columns are two columns, the left one first", () => {
    const page = drawnPage(1300, 500, (pen) => {
      write(pen, prose, { left: 60, top: 60, size: 22 });
      write(pen, prose, { left: 680, top: 65, size: 22 });
    });
    const lines = findLines(page);
    expect(lines).toHaveLength(2 * prose.length);
    expect(lines.slice(0, prose.length).every(({ right }) => right < 680)).toBe(true);
    expect(lines.slice(prose.length).every(({ left }) => left > 660)).toBe(true);
  });

  it("of a table are its cells, not its rules", () => {
    const page = drawnPage(900, 400, (pen) => {
      for (let row = 0; row < 4; row += 1) {
        write(pen, ["Revenue"], { left: 60, top: 40 + row * 60, size: 24 });
        write(pen, ["1,284.50"], { left: 400, top: 40 + row * 60, size: 24 });
        write(pen, ["2019"], { left: 700, top: 40 + row * 60, size: 24 });
        pen.fillRect(40, 90 + row * 60, 800, 2);
      }
      for (const x of [40, 380, 680, 840]) pen.fillRect(x, 30, 2, 240);
    });
    const lines = findLines(page);
    expect(lines).toHaveLength(12);
    for (const { bottom, top } of lines) expect(bottom - top).toBeLessThan(32);
  });

  it("beside a picture are the lines of the text", () => {
    const page = drawnPage(1400, 600, (pen) => {
      write(pen, prose, { left: 60, top: 60, size: 24 });
      const shade = pen.createLinearGradient(800, 0, 1300, 500);
      shade.addColorStop(0, "#222");
      shade.addColorStop(1, "#ddd");
      pen.fillStyle = shade;
      pen.fillRect(800, 40, 500, 500);
    });
    const lines = findLines(page).filter(({ right }) => right < 790);
    expect(lines).toHaveLength(prose.length);
  });

  it("are found white on black, and in a frame", () => {
    const page = drawnPage(1000, 700, (pen) => {
      pen.fillRect(0, 0, 1000, 320);
      pen.strokeRect(40, 360, 900, 300);
      write(pen, prose, { left: 60, top: 400, size: 24 });
      pen.fillStyle = "#fff";
      write(pen, prose, { left: 60, top: 60, size: 24 });
    });
    const lines = findLines(page).filter(({ letters }) => letters > 10);
    expect(lines).toHaveLength(2 * prose.length);
  });

  it("are found in uneven light, on grey paper and under noise", () => {
    const clean = drawnPage(1000, 400, (pen) => write(pen, prose, { left: 60, top: 60, size: 24 }));
    let chance = 1;
    const page = pageOf(1000, 400, (x, y) => {
      chance = (chance * 1_103_515_245 + 12_345) % 2 ** 31;
      const light = 120 + (x / 1000) * 110;
      const ink = 1 - (clean.data[y * 1000 + x] ?? 255) / 255;
      return light - ink * (light - 50) + (chance / 2 ** 31 - 0.5) * 20;
    });
    expect(findLines(page).filter(({ letters }) => letters > 10)).toHaveLength(prose.length);
  });

  it("of an empty page are none", () => {
    expect(findLines(pageOf(1414, 2000, () => 255))).toEqual([]);
  });
});

/** Random numbers that are the same in each run. */
function noise(x: number, y: number): number {
  return (Math.imul(x * 374_761_393 + y * 668_265_263, 1_274_126_177) >>> 13) & 255;
}

describe("pages that are made to be difficult", () => {
  it.each<[string, number, number, (x: number, y: number) => number]>([
    ["all black", 1414, 2000, () => 0],
    ["a chequerboard of single pixels", 1414, 2000, (x, y) => ((x + y) % 2) * 255],
    ["dots as far apart as letters", 1414, 2000, (x, y) => (x % 8 < 5 && y % 8 < 5 ? 0 : 255)],
    ["boxes nested in boxes", 1414, 2000, (x, y) => (Math.min(x, y, 1413 - x, 1999 - y) % 6 < 2 ? 0 : 255)],
    ["noise", 1414, 2000, noise],
    ["coarse noise", 1414, 2000, (x, y) => noise(x >> 3, y >> 3)],
    ["one column", 1, 2000, noise],
    ["one row", 2000, 1, noise],
    ["one pixel", 1, 1, () => 0],
    ["as large as pages are drawn", 4096, 4096, (x, y) => (noise(x >> 2, y >> 2) > 128 ? 0 : 255)],
  ])("%s: has a bounded number of lines, each within the page", (_, width, height, value) => {
    const page = pageOf(width, height, value);
    const lines = findLines(page);
    expect(lines.length).toBeLessThanOrEqual(2_000);
    for (const line of lines.slice(0, 50)) {
      const strip = stripOf(page, line, 24);
      expect(strip.data).toHaveLength(24 * strip.width);
      expect(strip.data.every((ink) => ink >= 0 && ink <= 1)).toBe(true);
    }
  });
});
