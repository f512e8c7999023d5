import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createPdfiumEngine } from "../../../server/pipeline/engines/pdfium/engine.ts";
import { expect, it } from "vitest";
import { picturePdf, scanned } from "./scan.ts";
import { createRandom } from "./random.ts";
import { maxEngineBytes } from "./read-pages.ts";
import { greyOf, paper, typeset } from "./typeset.ts";

const text = "Tables of tides were printed every year for the ports of the western coast. ".repeat(12);

it("a typeset page becomes a page that is a picture, the same in every run, without a text layer", async () => {
  const [first, second] = await Promise.all(
    [1, 1].map(async (seed) => {
      const random = createRandom(seed);
      const { canvas, words } = await typeset(text, random);
      expect(words).toBe(text.trim());
      return scanned({ ...paper, data: greyOf(canvas) }, random);
    }),
  );
  if (first === undefined || second === undefined) throw new Error("no scans");
  expect(Buffer.from(first).equals(second)).toBe(true);

  const folder = await mkdtemp(join(tmpdir(), "drs-eval-scans-"));
  try {
    const file = join(folder, "scan.pdf");
    await writeFile(file, picturePdf([{ jpeg: first, ...paper, resolution: 150 }]));
    const document = await (await createPdfiumEngine(maxEngineBytes)).open(file);
    expect(await document.read(1)).toMatchObject({ words: "", width: expect.closeTo(595.2, 1) });
    const { width, height, data } = await document.picture(1, { longSide: paper.height, channels: 1 });
    expect([width, height]).toEqual([paper.width, paper.height]);
    const dark = data.filter((grey) => grey < 170).length;
    expect(dark).toBeGreaterThan(5_000);
    expect(dark).toBeLessThan(data.length / 4);
    await document.close();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
