import { execFileSync, spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type FixtureDocument, type FixturePicture, makePdf } from "../../../test/fixtures/pdf.ts";
import type { OpenDocument, PageEngine } from "./engine.ts";
import { createPdfiumEngine } from "./pdfium/engine.ts";
import { pdfjsEngine } from "./pdfjs/engine.ts";

const engines: readonly [string, () => Promise<PageEngine>][] = [
  ["PDFium", () => createPdfiumEngine(256 * 2 ** 20)],
  ["pdf.js", async () => pdfjsEngine],
];

describe.each(engines)("%s", (name, create) => {
  let engine: PageEngine;
  let folder: string;
  let files = 0;
  const open: OpenDocument[] = [];

  beforeAll(async () => {
    engine = await create();
    folder = await mkdtemp(join(tmpdir(), "drs-engine-"));
  });
  afterAll(async () => {
    for (const document of open) await document.close();
    await rm(folder, { recursive: true });
  });

  const file = async (bytes: Uint8Array): Promise<string> => {
    const path = join(folder, `${(files += 1)}.pdf`);
    await writeFile(path, bytes);
    return path;
  };
  const openFixture = async (fixture: FixtureDocument): Promise<OpenDocument> => {
    const document = await engine.open(await file(makePdf(fixture)));
    open.push(document);
    return document;
  };
  const pixel = async (jpeg: Uint8Array, x: number, y: number): Promise<number[]> => {
    const { data, info } = await sharp(jpeg).toColourspace("srgb").raw().toBuffer({ resolveWithObject: true });
    return [...data.subarray((y * info.width + x) * info.channels, (y * info.width + x) * info.channels + 3)];
  };

  test("reads size and words", async () => {
    const document = await openFixture({
      pages: [{ text: "First (page)" }, { text: "second\nline", size: [300, 200] }],
    });
    expect(document.pageCount).toBe(2);
    expect(await document.read(1)).toEqual({ width: 595, height: 842, words: "First (page)" });
    expect(await document.read(2)).toEqual({ width: 300, height: 200, words: "second\nline" });
  });

  test("reads the properties that the file declares", async () => {
    const title = "Otters – ein Überblick 報告";
    const named = await openFixture({ pages: [{}], info: { title, author: "J. Doe" } });
    expect(await named.properties()).toEqual({ title, author: "J. Doe" });
    const unnamed = await openFixture({ pages: [{}], info: {} });
    expect(await unnamed.properties()).toEqual({ title: "", author: "" });
  });

  test("turns and crops the page as a viewer does", async () => {
    const document = await openFixture({
      pages: [
        { text: "turned", rotate: 90 },
        { text: "cropped", cropBox: [0, 442, 300, 842] },
      ],
    });
    expect(await document.read(1)).toMatchObject({ width: 842, height: 595 });
    expect(await document.read(2)).toMatchObject({ width: 300, height: 400 });
    expect(await sharp(await document.jpeg(1)).metadata()).toMatchObject({ width: 1754, height: 1240 - 1 });
    expect(await sharp(await document.jpeg(2)).metadata()).toMatchObject({ width: 625, height: 833 });
  });

  test("draws a page with larger units larger", async () => {
    const document = await openFixture({ pages: [{ size: [200, 100], userUnit: 2.5 }] });
    expect(await sharp(await document.jpeg(1)).metadata()).toMatchObject({ width: 1042, height: 521 });
  });

  test("draws in colour where there is colour", async () => {
    const corner = (x: number, y: number): readonly [number, number, number] =>
      x === 0 && y === 0 ? [250, 0, 0] : [0, 0, 250];
    const document = await openFixture({
      pages: [{ size: [72, 72], picture: { width: 2, height: 2, pixel: corner } }, { text: "black" }],
    });
    const jpeg = await document.jpeg(1);
    const [red] = await pixel(jpeg, 20, 20);
    const [, , blue] = await pixel(jpeg, 130, 130);
    expect([red, blue].every((value) => (value ?? 0) > 200)).toBe(true);
    expect((await sharp(await document.jpeg(2)).metadata()).channels).toBe(1);
  });

  test.each([1, 3] as const)("makes a small picture with %i channels", async (channels) => {
    const document = await openFixture({
      pages: [{ size: [100, 50], picture: { width: 1, height: 1, pixel: () => [255, 0, 0] } }],
    });
    const picture = await document.picture(1, { longSide: 31, channels });
    expect(picture).toMatchObject({ width: 31, height: 16, channels });
    expect(picture.data).toHaveLength(31 * 16 * channels);
    const middle = (8 * 31 + 15) * channels;
    const expected = channels === 3 ? [255, 0, 0] : [76];
    for (const [index, value] of expected.entries()) {
      expect(Math.abs((picture.data[middle + index] ?? -99) - value)).toBeLessThanOrEqual(3);
    }
  });

  test("draws fields that have no appearance of their own", async () => {
    const document = await openFixture({ pages: [{ field: "IIIIIIIIII" }] });
    const { data } = await document.picture(1, { longSide: 842, channels: 3 });
    const blue = data.some((value, at) => at % 3 === 2 && value > 150 && (data[at - 2] ?? 255) < 100);
    expect(blue).toBe(true);
  });

  test("describes the drawing of a page", async () => {
    const picture: FixturePicture = { width: 1, height: 1, pixel: () => [9, 9, 9] };
    const letter = "10 0 m 16 0 20 4 20 10 c 20 16 16 20 10 20 c 4 20 0 16 0 10 c 0 4 4 0 10 0 c h\n";
    const document = await openFixture({
      pages: [
        {},
        { text: "Annual Report\n- 17 -" },
        { operators: "50 50 495 742 re S" },
        { operators: `${letter.repeat(24)}f` },
        { picture },
        { picture, wrapped: 3 },
        { picture, wrapped: 25 },
        { operators: "q 100 0 0 100 50 50 cm BI /W 1 /H 1 /BPC 8 /CS /G ID x EI Q" },
        { field: "in a field" },
      ],
    });
    const drawings = [];
    for (let page = 1; page <= document.pageCount; page += 1) drawings.push(await document.drawing(page));
    const [blank, title, frame, outlines, ...withPictures] = drawings;
    expect(blank).toEqual({ signs: 0, points: 0, hasPictures: false, pictureShare: 0 });
    expect(title).toEqual({ signs: 16, points: 0, hasPictures: false, pictureShare: 0 });
    expect(frame).toMatchObject({ signs: 0, hasPictures: false });
    expect(frame?.points).toBeLessThan(8);
    expect(outlines).toMatchObject({ signs: 0, hasPictures: false });
    expect(outlines?.points).toBeGreaterThan(200);
    expect(withPictures.map(({ hasPictures }) => hasPictures)).toEqual([true, true, true, true, true]);
    const shares = withPictures.map(({ pictureShare }) => Number(pictureShare.toFixed(3)));
    // The picture of the third page is nested in more forms than one engine examines.
    expect([shares[0], shares[1], shares[3], shares[4]]).toEqual([1, 1, 0.02, 0]);
    await expect(document.drawing(99)).rejects.toMatchObject({ name: "PageError" });
  });

  test("extracts a page as a document", async () => {
    const document = await openFixture({ pages: [{ text: "one" }, { text: "two", rotate: 90, userUnit: 2 }] });
    const path = await file(await document.onePagePdf(2));
    const single = await engine.open(path);
    open.push(single);
    expect(single.pageCount).toBe(1);
    expect(await single.read(1)).toEqual({ width: 842, height: 595, words: name === "pdf.js" ? "" : "two" });
    expect(await sharp(await single.jpeg(1)).metadata()).toMatchObject({ width: 2400 });
    if (spawnSync("qpdf", ["--version"]).error === undefined) execFileSync("qpdf", ["--check", path]);
  });

  test.each<[string, string, Uint8Array]>([
    ["a password", "encrypted", makePdf({ pages: [{ text: "secret" }], encrypted: true })],
    ["no content", "empty", new Uint8Array()],
    ["another format", "not-pdf", Buffer.from("PK\u0003\u0004 not a PDF")],
    ["nothing after its header", "damaged", Buffer.from("%PDF-1.7\ngarbage")],
    ["no pages", "empty", makePdf({ pages: [] })],
  ])("refuses a document with %s", async (_what, fault, bytes) => {
    await expect(engine.open(await file(bytes))).rejects.toMatchObject({ name: "DocumentError", fault });
  });

  test("names the page that is not there", async () => {
    const document = await openFixture({ pages: [{ text: "only" }] });
    await expect(document.read(2)).rejects.toMatchObject({ name: "PageError", page: 2 });
  });

  test("refuses to draw a page without size, and goes on", async () => {
    const document = await openFixture({ pages: [{ text: "fine" }, { size: [100, 100], cropBox: [50, 50, 50, 50] }] });
    const outcome = await document.jpeg(2).then(
      () => "drawn",
      (cause: unknown) => (cause instanceof Error ? cause.name : cause),
    );
    // Engines may fall back to the whole page, but must not break.
    expect(["drawn", "PageError"]).toContain(outcome);
    expect(await document.read(1)).toMatchObject({ words: "fine" });
  });
});
