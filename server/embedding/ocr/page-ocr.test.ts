import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readManifest } from "../manifest.ts";
import { resolvePackDir } from "../packs.ts";
import { drawnPage, pageOf, prose, sans, serif, write } from "./testing/drawn-page.ts";
import { createPageOcr, type PageOcr, turned } from "./page-ocr.ts";
import type { OcrSettings } from "./settings.ts";
import type { GreyRaster } from "../raster.ts";

const packDir = resolvePackDir("builtin");
let settings: OcrSettings;
let ocr: PageOcr;

beforeAll(async () => {
  const manifest = await readManifest(packDir);
  if (manifest.reader === undefined) throw new Error("the built-in pack has no ocr");
  settings = manifest.reader;
  ocr = createPageOcr(packDir, settings);
});
afterAll(() => ocr.close());

const words = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/** The share of the words of `prose` that were read. */
async function recall(page: GreyRaster): Promise<number> {
  const read = new Set(words(await ocr.read(page)));
  const wanted = words(prose.join(" "));
  return wanted.filter((word) => read.has(word)).length / wanted.length;
}

const page = (size: number, font: string): GreyRaster =>
  drawnPage(1240, 1000, (pen) => write(pen, prose, { left: 100, top: 80, size, font }));

describe("words of a page's picture", () => {
  it.each([
    [18, serif],
    [25, serif],
    [25, sans],
    [40, sans],
  ])("%i pixels large in %s are read, most of them", async (size, font) => {
    expect(await recall(page(size, font))).toBeGreaterThan(0.8);
  });

  it.each([1, 2, 3] as const)("turned by %i quarters are read all the same", async (quarters) => {
    expect(await recall(turned(page(25, serif), quarters))).toBeGreaterThan(0.8);
  });

  it("white on black are read", async () => {
    const { width, height, data } = page(25, sans);
    expect(await recall({ width, height, channels: 1, data: data.map((grey) => 255 - grey) })).toBeGreaterThan(0.8);
  });

  it("in two columns come one column after the other", async () => {
    const columns = drawnPage(1300, 420, (pen) => {
      write(pen, prose.slice(0, 3), { left: 60, top: 60, size: 24 });
      write(pen, prose.slice(3), { left: 700, top: 60, size: 24 });
    });
    const read = words(await ocr.read(columns));
    expect(read.indexOf("lighthouse")).toBeGreaterThan(-1);
    expect(read.indexOf("lighthouse")).toBeLessThan(read.indexOf("volumes"));
  });

  it("are none where there are none", async () => {
    expect(await ocr.read(pageOf(1414, 2000, () => 255))).toBe("");
    expect(
      words(
        await ocr.read(pageOf(1414, 2000, (x, y) => (Math.imul(x * 7919 + y * 104_729, 2_654_435_761) >>> 9) & 255)),
      ),
    ).toEqual([]);
  });
});

describe("an OCR that differs from its manifest", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "drs-ocr-"));
    await cp(packDir, folder, { recursive: true });
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it("is refused, and says which file is to blame", async () => {
    const input = { ...settings, graph: { ...settings.graph, input: "pictures" } };
    await expect(createPageOcr(folder, input).read(page(25, serif))).rejects.toThrow("the manifest names pictures");
    await writeFile(join(folder, settings.alphabet), "{}");
    await expect(createPageOcr(folder, settings).read(page(25, serif))).rejects.toThrow(settings.alphabet);
    await writeFile(join(folder, settings.graph.file), "no graph");
    await writeFile(join(folder, settings.alphabet), `{"letters": "ab"}`);
    await expect(createPageOcr(folder, settings).read(page(25, serif))).rejects.toThrow("not a graph");
  });
});
