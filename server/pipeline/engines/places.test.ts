import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type FixtureDocument, makePdf } from "../../../test/fixtures/pdf.ts";
import type { PageEngine } from "./engine.ts";
import { createPdfiumEngine } from "./pdfium/engine.ts";
import { pdfjsEngine } from "./pdfjs/engine.ts";
import { cleanWords } from "./words.ts";

const engines = [
  ["PDFium", (): Promise<PageEngine> => createPdfiumEngine(2 ** 29)],
  ["pdf.js", async (): Promise<PageEngine> => pdfjsEngine],
] as const;

/** Operators that draw texts at positions: x, y, and the line's angle in degrees. */
const set = (...texts: readonly (readonly [text: string, x: number, y: number, angle?: number])[]): string =>
  texts
    .map(([text, x, y, angle = 0]) => {
      const [cos, sin] = [Math.cos((angle * Math.PI) / 180), Math.sin((angle * Math.PI) / 180)];
      return `BT /F1 12 Tf ${cos.toFixed(3)} ${sin.toFixed(3)} ${(-sin).toFixed(3)} ${cos.toFixed(3)} ${x} ${y} Tm (${text}) Tj ET`;
    })
    .join("\n");

/** Widths in ems of Helvetica; its other small letters have 0.556. */
const advances: Readonly<Record<string, number>> = { W: 0.944, Y: 0.667, l: 0.222, r: 0.333, t: 0.278, y: 0.5 };

const columns = [
  ["The weather station on", "the ridge was built in", "granite by two brothers", "who carried every stone"],
  ["Its barometer still works", "and is read each morning", "by the daughter of the", "last lighthouse keeper"],
] as const;

describe.each(engines)("%s reads by places", (_name, create) => {
  let engine: PageEngine;
  let folder = "";

  beforeAll(async () => {
    engine = await create();
    folder = await mkdtemp(join(tmpdir(), "drs-places-"));
  });
  afterAll(() => rm(folder, { recursive: true }));

  /** Returns the words of its first page, and checks that the page has the same text with boxes of characters. */
  async function read(fixture: FixtureDocument): Promise<string> {
    const path = join(folder, "page.pdf");
    await writeFile(path, makePdf(fixture));
    const document = await engine.open(path);
    const { words } = await document.read(1);
    const { text } = await document.characters(1, () => []);
    const { signs } = await document.drawing(1);
    await document.close();
    expect(cleanWords(text)).toBe(words);
    expect(signs).toBe(text.replace(/\s+/g, "").length);
    return words;
  }

  test("words that gaps of 0.11 em part", async () => {
    const narrow = "BT /F1 12 Tf 50 700 Td [(and) -110 (the) -110 (fog) -110 (signal)] TJ ET";
    expect(await read({ pages: [{ operators: narrow }] })).toBe("and the fog signal");
  });

  test("headings whose letters are set wide", async () => {
    expect(await read({ pages: [{ text: "M A I N T E N A N C E   B A C K L O G" }] })).toBe("MAINTENANCE BACKLOG");
    const wide = "BT /F1 12 Tf 4 Tc 50 700 Td (maintenance backlog) Tj ET";
    expect(await read({ pages: [{ operators: wide }] })).toBe("maintenance backlog");
  });

  test("letters that were drawn after the line, as those of another font are", async () => {
    const meanings = { "1": "ọ", "2": "ả", "3": "₹" };
    const operators = set(
      ["Ng", 50, 700],
      ["n h", 72.01, 700],
      ["i \\(", 95.36, 700],
      ["\\) in the next", 112.03, 700],
      ["line of words", 50, 680],
      ["1", 65.34, 700],
      ["2", 88.69, 700],
      ["3", 105.36, 700],
    );
    expect(await read({ pages: [{ operators }], meanings })).toBe("Ngọn hải (₹) in the next\nline of words");
  });

  test("each turn of text in its own direction", async () => {
    const letters = (text: string, x: number) => {
      let y = 600;
      return Array.from(text, (letter) => {
        const place = [letter, x, y, 90] as const;
        y += 12 * (advances[letter] ?? 0.556);
        return place;
      });
    };
    const operators = set(...letters("Water", 60), ...letters("Yearly", 120), ["111", 55, 580], ["222", 115, 580]);
    expect(await read({ pages: [{ operators }] })).toBe("Water\nYearly\n111 222");
  });

  test.each([0, 90, 180, 270])("lines in their order on a page that is turned by %i degrees", async (rotate) => {
    const text = "First line: the cooper orders staves\nSecond line: and hoops of ash\nThird line: to be sent";
    expect(await read({ pages: [{ text, rotate }] })).toBe(text);
  });

  test("a page that is turned by its drawing", async () => {
    const operators = set(["First line of words", 100, 100, 90], ["Second line of words", 114, 100, 90]);
    for (const rotate of [0, 90]) {
      expect(await read({ pages: [{ operators, rotate }] })).toBe("First line of words\nSecond line of words");
    }
  });

  test("columns that were drawn row by row", async () => {
    const rows = columns[0].flatMap((text, at) => [
      [text, 72, 700 - 16 * at] as const,
      [columns[1][at] ?? "", 330, 700 - 16 * at] as const,
    ]);
    expect(await read({ pages: [{ operators: set(...rows) }] })).toBe(columns.flat().join("\n"));
  });

  test("columns that were drawn one after the other, and rows of tables", async () => {
    const texts = columns.flatMap((lines, column) =>
      lines.map((text, at) => [text, 72 + 258 * column, 700 - 16 * at] as const),
    );
    expect(await read({ pages: [{ operators: set(...texts) }] })).toBe(columns.flat().join("\n"));
    const rows = [
      ["Brass screw", "4.20", "Ostend"],
      ["Oak plank", "17.00", "Riga"],
      ["Iron ring", "2.10", "Hull"],
    ];
    const cells = rows.flatMap((row, at) =>
      row.map((cell, column) => [cell, 72 + 120 * column, 700 - 16 * at] as const),
    );
    expect(await read({ pages: [{ operators: set(...cells) }] })).toBe(rows.map((row) => row.join(" ")).join("\n"));
  });

  test("values of fields and notes, where they stand, and none that are hidden", async () => {
    const words = await read({
      pages: [
        {
          text: "Name of the vessel:\nHome port:",
          field: "Kittiwake",
          notes: [
            { text: "Stornoway", left: 200, bottom: 760 },
            { text: "Overruled by the harbour master", left: 50, bottom: 700 },
            { text: "Nobody sees walrus", left: 50, bottom: 600, flags: 2 },
            { text: "Nor here octopus", left: 50, bottom: 500, flags: 32 },
          ],
        },
      ],
    });
    expect(words).toBe("Kittiwake\nName of the vessel:\nHome port: Stornoway\nOverruled by the harbour master");
  });

  test("a note with boxes where it stands", async () => {
    const note = { text: "Overruled", left: 50, bottom: 421 };
    const path = join(folder, "note.pdf");
    await writeFile(path, makePdf({ pages: [{ text: "Minutes", notes: [note] }] }));
    const document = await engine.open(path);
    const { text, boxes } = await document.characters(1, (found) => [found.indexOf("O")]);
    await document.close();
    expect(text).toBe("Minutes\nOverruled");
    const { left = 0, top = 0 } = [...boxes.values()][0] ?? {};
    expect(left * 595).toBeCloseTo(52, 0);
    expect(top).toBeGreaterThan(0.47);
    expect(top).toBeLessThan(0.5);
  });

  test("signs that are written from top to bottom, drawn row by row", async () => {
    const text = ["港灯台夜", "漁師網繕", "春回遊魚"];
    const codes = Array.from("abcdefghijkl");
    const meanings = Object.fromEntries(codes.map((code, at) => [code, Array.from(text.join(""))[at] ?? ""]));
    const rows = [0, 1, 2, 3].flatMap((row) =>
      [2, 1, 0].map((column) => [codes[4 * column + row] ?? "", 480 - 28 * column, 700 - 13 * row] as const),
    );
    expect(await read({ pages: [{ operators: set(...rows) }], meanings })).toBe(text.join("\n"));
  });
});
