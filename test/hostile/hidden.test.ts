import { execFileSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { OpenDocument, PageEngine } from "../../server/pipeline/engines/engine.ts";
import { createPdfiumEngine } from "../../server/pipeline/engines/pdfium/engine.ts";
import { pdfjsEngine } from "../../server/pipeline/engines/pdfjs/engine.ts";
import { hasTool, toolReason } from "../service/tools.ts";
import { annotatedPages, annotationPages } from "./hidden/annotations.ts";
import { layerPages, shownPages } from "./hidden/layers.ts";
import { type HidingPage, hidingPdf } from "./hidden/make.ts";
import { storedPages } from "./hidden/stored.ts";
import { seenPages, unseenPages } from "./hidden/unseen.ts";

const referees = ["pdftotext", "pdftoppm", "qpdf"] as const;
const engines: readonly [string, () => Promise<PageEngine>][] = [["PDFium", () => createPdfiumEngine(256 * 2 ** 20)]];

/** How far a picture of a page is from the page, whose letters are smoothed twice in it: of 255, over all pixels. */
const maxBlur = 2;
/** How far words may change it that are nearly white on white. */
const maxUnseen = 0.01;

/** Returns the difference of two pictures over all pixels. */
function difference(one: Uint8Array, other: Uint8Array): number {
  if (one.length !== other.length) return Infinity;
  return one.reduce((sum, value, at) => sum + Math.abs(value - (other[at] ?? 0)), 0) / one.length;
}

/** All of a PDF, its streams unpacked. */
function unpacked(path: string): string {
  const wanted = { encoding: "latin1", maxBuffer: 2 ** 26 } as const;
  return execFileSync("qpdf", ["--qdf", "--object-streams=disable", path, "-"], wanted);
}

describe.each(engines)("what a PDF hides stays hidden: %s", (_name, create) => {
  let engine: PageEngine;
  let folder: string;
  let files = 0;

  beforeAll(async () => {
    engine = await create();
    folder = await mkdtemp(join(tmpdir(), "drs-hidden-"));
  });
  afterAll(() => rm(folder, { recursive: true }));

  const file = async (bytes: Uint8Array): Promise<string> => {
    const path = join(folder, `${(files += 1)}.pdf`);
    await writeFile(path, bytes);
    return path;
  };
  const withDocument = async <Result>(
    path: string,
    use: (document: OpenDocument) => Promise<Result>,
  ): Promise<Result> => {
    const document = await engine.open(path);
    try {
      return await use(document);
    } finally {
      await document.close();
    }
  };
  const picture = async (path: string): Promise<Uint8Array> =>
    withDocument(path, async (document) => (await document.picture(1, { longSide: 300, channels: 1 })).data);

  test.skipIf(!referees.every(hasTool)).each(Object.entries(annotatedPages))(
    `%s that is shown stays${toolReason(...referees)}`,
    async (_case, page) => {
      const whole = await file(hidingPdf(page));
      const [words, bytes] = await withDocument(whole, async (document) => [
        (await document.read(1)).words,
        await document.onePagePdf(1),
      ]);
      expect(words).toMatch(/^heron\s+annotation$/);
      const one = await file(bytes);
      expect(execFileSync("pdftotext", [one, "-"], { encoding: "latin1" })).toMatch(/heron\s+annotation/);
      expect(unpacked(one)).not.toContain("walrus");
      const bare = await picture(await file(hidingPdf({ content: page.content })));
      expect(difference(await picture(whole), bare)).toBeGreaterThan(maxUnseen);
    },
  );

  test.each(Object.entries(annotationPages))("a picture without %s", async (_case, page) => {
    const bare = await file(hidingPdf({ content: page.content }));
    expect(difference(await picture(await file(hidingPdf(page))), await picture(bare))).toBe(0);
  });

  describe.each([
    ...Object.entries({ ...layerPages, ...unseenPages, ...annotationPages, ...storedPages }),
    ...Object.entries({ ...shownPages, ...seenPages }).map(([name, page]): [string, HidingPage] => [
      `${name} is shown`,
      page,
    ]),
  ])("%s", (_case, page) => {
    test("its words and their boxes", async () => {
      await withDocument(await file(hidingPdf(page)), async (document) => {
        expect((await document.read(1)).words.trim()).toBe("heron");
        const { text, boxes } = await document.characters(1, (all) => all.split("").keys());
        expect(text.trim()).toBe("heron");
        expect([...boxes.keys()].filter((unit) => text[unit]?.trim() !== "")).toHaveLength("heron".length);
      });
    });

    test.skipIf(!referees.every(hasTool))(
      `a PDF of the page, as others read and draw it${toolReason(...referees)}`,
      async () => {
        const whole = await file(hidingPdf(page));
        const one = await file(await withDocument(whole, (document) => document.onePagePdf(1)));
        execFileSync("qpdf", ["--check", one]);
        expect(execFileSync("pdftotext", [one, "-"], { encoding: "latin1" }).trim()).toBe(
          page.becomesPicture ? "" : "heron",
        );
        expect(unpacked(one)).not.toContain("walrus");
        expect(difference(await picture(one), await picture(whole))).toBeLessThanOrEqual(
          page.becomesPicture ? maxBlur : maxUnseen,
        );
        if (page.refereeErrs) return;
        const drawn = (path: string): Buffer => execFileSync("pdftoppm", ["-r", "72", "-gray", "-cropbox", path]);
        expect(difference(drawn(one), drawn(whole))).toBeLessThanOrEqual(page.becomesPicture ? maxBlur : maxUnseen);
      },
    );
  });
});

describe("what a PDF hides stays hidden: pdf.js", () => {
  const beside = Object.entries(unseenPages).filter(([name]) => name.includes("crop box"));

  const withFile = async (
    page: HidingPage,
    use: (document: OpenDocument, folder: string) => Promise<void>,
  ): Promise<void> => {
    const folder = await mkdtemp(join(tmpdir(), "drs-hidden-"));
    await writeFile(join(folder, "page.pdf"), hidingPdf(page));
    const document = await pdfjsEngine.open(join(folder, "page.pdf"));
    try {
      await use(document, folder);
    } finally {
      await document.close();
      await rm(folder, { recursive: true });
    }
  };

  test.each([...Object.entries({ ...layerPages, ...shownPages, ...annotationPages }), ...beside])(
    "%s",
    async (_name, page) => {
      await withFile(page, async (document) => {
        expect((await document.read(1)).words.trim()).toBe("heron");
        const { text } = await document.characters(1, () => []);
        expect(text.trim()).toBe("heron");
      });
    },
  );

  test.each(Object.entries({ ...layerPages, ...unseenPages, ...annotationPages }))(
    "a PDF of the page is a picture of it: %s",
    async (_name, page) => {
      await withFile(page, async (document, folder) => {
        const bytes = Buffer.from(await document.onePagePdf(1));
        expect(bytes.toString("latin1")).not.toContain("walrus");
        await writeFile(join(folder, "one.pdf"), bytes);
        const one = await pdfjsEngine.open(join(folder, "one.pdf"));
        const asked = { longSide: 300, channels: 1 } as const;
        const [drawn, whole] = [await one.picture(1, asked), await document.picture(1, asked)];
        expect((await one.read(1)).words).toBe("");
        await one.close();
        expect(difference(drawn.data, whole.data)).toBeLessThanOrEqual(maxBlur);
      });
    },
  );
});
