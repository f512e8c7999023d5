import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { corpusFile, corpusReason, hasCorpus } from "../../../../test/service/corpus.ts";
import { hasTool, toolReason } from "../../../../test/service/tools.ts";
import { createPagePool, type PagePool } from "../../threads/pool.ts";
import { type Conversions, createConverters } from "../select.ts";
import { findLosses } from "./find-losses.ts";

const isAbsent = !hasCorpus || !hasTool("soffice");
const reason = `${corpusReason}${toolReason("soffice")}`;

describe.skipIf(isAbsent)(`real documents that come out right${reason}`, { timeout: 180_000 }, () => {
  let folder: string;
  let conversions: Conversions;
  let pool: PagePool;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "drs-losses-"));
    conversions = createConverters({ choice: "soffice" });
    pool = createPagePool({ threads: 1, warm: false });
  });
  afterAll(async () => {
    await Promise.all([conversions.close(), pool.close()]);
    await rm(folder, { recursive: true });
  });

  test.each(["drawing.docx", "form_footnotes.docx", "themes.pptx", "SampleShow.pptx", "WithThreeCharts.xlsx"])(
    "%s has lost nothing",
    async (name) => {
      const file = corpusFile(`office/${name}`);
      const output = join(folder, `${name}.pdf`);
      const { signal } = new AbortController();
      await conversions.convert({ file, extension: extname(name).slice(1), output }, { signal, timeoutMs: 120_000 });
      const texts: string[] = [];
      const pages = Array.from({ length: await pool.countPages(output) }, (_, index) => index + 1);
      const page = (read: object): void => void texts.push("words" in read ? String(read.words) : "");
      await pool.readPages({ file: output, pages }, { start: () => undefined, page });
      const words = async function* (): AsyncGenerator<string> {
        yield* texts;
      };
      const found = await findLosses(file, { words, hasFont: async () => false, signal });
      expect(found).toEqual({ warnings: [], isLost: false });
    },
  );
});
