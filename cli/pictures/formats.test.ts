import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp, { type Sharp } from "sharp";
import { beforeAll, describe, expect, test } from "vitest";
import { hasTool, runTool, toolReason } from "../../test/service/tools.ts";
import type { Canvas, PictureFormat } from "./canvas.ts";
import { drawPicture } from "./draw.ts";

type Colour = readonly [red: number, green: number, blue: number];

/** The colours of the page's quarters, starting at the upper left. */
const quarters: readonly Colour[] = [
  [200, 30, 40],
  [20, 160, 60],
  [30, 60, 190],
  [240, 220, 30],
];
let page: Buffer;

beforeAll(async () => {
  const quarter = (index: number, left: number, top: number) => {
    const [r = 0, g = 0, b = 0] = quarters[index] ?? [];
    return { input: { create: { width: 300, height: 400, channels: 3, background: { r, g, b } } }, left, top } as const;
  };
  page = await sharp({ create: { width: 600, height: 800, channels: 3, background: "white" } })
    .composite([quarter(0, 0, 0), quarter(1, 300, 0), quarter(2, 0, 400), quarter(3, 300, 400)])
    .jpeg({ quality: 95 })
    .toBuffer();
});

const area = { columns: 60, rows: 12 };
const cell = { width: 10, height: 20 };

async function drawn(format: PictureFormat, settings: Partial<Canvas> = {}): Promise<string> {
  const canvas: Canvas = { format, cell, depth: 24, screen: { columns: 80, rows: 24 }, ...settings };
  return drawPicture(() => Promise.resolve(page), canvas, area, new AbortController().signal);
}

/** Checks that every quarter of the picture has the colour of the page's, within a tolerance for each channel. */
async function expectPage(picture: Sharp, tolerance: number): Promise<void> {
  const { data, info } = await picture.removeAlpha().raw().toBuffer({ resolveWithObject: true });
  const middles = [0.25, 0.75].flatMap((y) => [0.25, 0.75].map((x) => [x, y] as const));
  for (const [index, [x, y]] of middles.entries()) {
    const at = (Math.floor(y * info.height) * info.width + Math.floor(x * info.width)) * info.channels;
    for (const [channel, value] of (quarters[index] ?? []).entries())
      expect(Math.abs((data[at + channel] ?? -999) - value), `quarter ${index}, ${channel}`).toBeLessThanOrEqual(
        tolerance,
      );
  }
}

/** Returns the part between the saved cursor and its return. */
function insideOf(text: string): string {
  const match = /^\n{12}\p{Cc}\[12A\p{Cc}\[11C\p{Cc}7(.*)\p{Cc}8\r\p{Cc}\[12B$/su.exec(text);
  expect(match).not.toBeNull();
  return match?.[1] ?? "";
}

describe("a page in the terminal", () => {
  test("kitty: a PNG in pieces of 4,096 characters, over the cells that fit", async () => {
    const pieces = [...insideOf(await drawn("kitty")).matchAll(/\p{Cc}_G([^;]*);(\P{Cc}*)\p{Cc}\\/gu)];
    expect(pieces[0]?.[1]).toContain("a=T,f=100,C=1,c=18,r=12,q=2");
    expect(pieces.map(([, control]) => /m=(\d)/.exec(control ?? "")?.[1])).toEqual([
      ...pieces.slice(1).map(() => "1"),
      "0",
    ]);
    for (const [, , data = ""] of pieces) expect(data.length).toBeLessThanOrEqual(4096);
    const picture = sharp(Buffer.from(pieces.map(([, , data]) => data).join(""), "base64"));
    expect(await picture.metadata()).toMatchObject({ format: "png", width: 180, height: 240 });
    await expectPage(picture, 6);
  });

  test("iTerm2: a file of the size that it says", async () => {
    const inside = insideOf(await drawn("iterm"));
    const [, settings = "", data = ""] = /^\p{Cc}\]1337;File=([^:]*):([A-Za-z0-9+/=]*)\p{Cc}$/u.exec(inside) ?? [];
    const bytes = Buffer.from(data, "base64");
    expect(settings.split(";")).toEqual([
      "inline=1",
      `size=${bytes.length}`,
      "width=18",
      "height=12",
      "preserveAspectRatio=1",
    ]);
    await expectPage(sharp(bytes), 6);
  });

  test.skipIf(!hasTool("sixel2png"))(`sixel: another program sees the page${toolReason("sixel2png")}`, async () => {
    const folder = await mkdtemp(join(tmpdir(), "drs-sixel-"));
    try {
      const file = join(folder, "page.six");
      await writeFile(file, insideOf(await drawn("sixel")));
      runTool("sixel2png", ["-i", file, "-o", `${file}.png`]);
      const picture = sharp(await readFile(`${file}.png`));
      expect(await picture.metadata()).toMatchObject({ width: 180, height: 240 });
      await expectPage(picture, 8);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  test.each([
    [24, 3],
    // The widest step of the palette goes from 0 to 95.
    [8, 47],
  ] as const)("half blocks of %i bits: two pixels in a cell", async (depth, tolerance) => {
    const text = await drawn("blocks", { depth, cell: { width: 8, height: 16 } });
    const lines = text.trimEnd().split("\n");
    expect(lines).toHaveLength(12);
    const pixels = lines.flatMap((line) => {
      expect(line).toMatch(/^ {11}\p{Cc}\[/u);
      expect(line.endsWith("\u001b[0m")).toBe(true);
      return blockPixels(line.slice(11, -"\u001b[0m".length));
    });
    const picture = sharp(Buffer.from(pixels.flat(2)), { raw: { width: 18, height: 24, channels: 3 } });
    await expectPage(picture, tolerance);
  });

  test("pictures are no larger than the room, whatever their shape", async () => {
    const wide = await sharp({ create: { width: 900, height: 30, channels: 3, background: "red" } })
      .png()
      .toBuffer();
    const canvas: Canvas = { format: "blocks", cell, depth: 24, screen: { columns: 40, rows: 15 } };
    const small = { columns: 29, rows: 12 };
    const text = await drawPicture(() => Promise.resolve(wide), canvas, small, new AbortController().signal);
    expect(text.trimEnd().split("\n")).toHaveLength(1);
    expect(text.match(/▀/g)).toHaveLength(29);
  });

  test("what is no picture becomes a remark that commands nothing", async () => {
    const broken = async (): Promise<Uint8Array> => Promise.reject(new Error("gone \u001b[2J"));
    const canvas: Canvas = { format: "kitty", cell, depth: 24, screen: { columns: 80, rows: 24 } };
    const { signal } = new AbortController();
    expect(await drawPicture(broken, canvas, area, signal)).toBe("           (no picture: gone \uFFFD[2J)\n");
    expect(await drawPicture(() => Promise.resolve(Buffer.from("page 7")), canvas, area, signal)).toContain(
      "(no picture: ",
    );
    await expect(drawPicture(broken, canvas, area, AbortSignal.abort(new Error("stop")))).rejects.toThrow("stop");
  });
});

/** Returns the two rows of pixels of a line of half blocks. */
function blockPixels(line: string): [upper: Colour[], lower: Colour[]] {
  const upper: Colour[] = [];
  const lower: Colour[] = [];
  let colours: readonly [Colour, Colour] | undefined;
  for (const [, codes, block] of line.matchAll(/\p{Cc}\[([\d;]+)m|(▀)/gu)) {
    if (codes !== undefined) colours = coloursOf(codes.split(";").map(Number));
    if (block === undefined || colours === undefined) continue;
    upper.push(colours[0]);
    lower.push(colours[1]);
  }
  return [upper, lower];
}

/** ECMA-48 38 (above) and 48 (below), as 2;red;green;blue or 5;index. */
function coloursOf(codes: readonly number[]): readonly [Colour, Colour] {
  const half = codes.length / 2;
  const colour = ([layer, kind, first = 0, green = 0, blue = 0]: readonly number[], expected: number): Colour => {
    expect(layer).toBe(expected);
    return kind === 2 ? [first, green, blue] : paletteColour(first);
  };
  return [colour(codes.slice(0, half), 38), colour(codes.slice(half), 48)];
}

/** xterm's palette: from 16 a cube of six steps each way, from 232 grays. */
function paletteColour(index: number): Colour {
  if (index >= 232) return [8 + 10 * (index - 232), 8 + 10 * (index - 232), 8 + 10 * (index - 232)];
  const step = (digit: number): number => (digit === 0 ? 0 : 55 + 40 * digit);
  return [step(Math.floor((index - 16) / 36)), step(Math.floor((index - 16) / 6) % 6), step((index - 16) % 6)];
}
