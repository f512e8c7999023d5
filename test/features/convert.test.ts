import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Conversions, createConverters } from "../../server/pipeline/convert/select.ts";
import { createPdfiumEngine } from "../../server/pipeline/engines/pdfium/engine.ts";
import { DocumentError } from "../../server/pipeline/errors.ts";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { makeDocx, makePptx, makeTitledDocx, makeXlsx } from "../fixtures/ooxml.ts";
import { hasTool, toolReason } from "../service/tools.ts";

const minute = 60_000;

/** Process ids of everything that a process has started. */
function descendants(pid: number): number[] {
  const found = spawnSync("pgrep", ["-P", String(pid)], { encoding: "utf8" });
  const children = found.stdout.split("\n").filter(Boolean).map(Number);
  return [...children, ...children.flatMap(descendants)];
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe.each([
  { engine: "soffice" as const, needs: ["soffice", "pgrep"] },
  { engine: "wasm" as const, needs: ["pgrep"] },
])("conversion by $engine", ({ engine, needs }) => {
  describe.skipIf(needs.some((name) => !hasTool(name)))(`is sound${toolReason(...needs)}`, () => {
    let folder: string;
    let scratchParent: string;
    let conversions: Conversions;
    let count = 0;

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), "drs-convert-test-"));
      scratchParent = join(folder, "scratch");
      conversions = createConverters({ choice: engine, scratchParent });
    });
    afterAll(async () => {
      await conversions.close();
      await rm(folder, { recursive: true, force: true });
    });

    async function put(
      extension: string,
      bytes: Uint8Array,
    ): Promise<{ file: string; extension: string; output: string }> {
      count += 1;
      const file = join(folder, `document-${count}`);
      await writeFile(file, bytes);
      return { file, extension, output: join(folder, `document-${count}.pdf`) };
    }

    async function wordsOf(pdf: string): Promise<string[]> {
      const document = await (await createPdfiumEngine(700 * 2 ** 20)).open(pdf);
      try {
        const pages = Array.from({ length: document.pageCount }, (_, index) => index + 1);
        return await Promise.all(pages.map(async (page) => (await document.read(page)).words));
      } finally {
        await document.close();
      }
    }

    async function convert(
      extension: string,
      bytes: Uint8Array,
      {
        lastPage,
        using = conversions,
        timeoutMs = minute,
        signal = new AbortController().signal,
      }: Partial<{
        lastPage: number;
        using: Conversions;
        timeoutMs: number;
        signal: AbortSignal;
      }> = {},
    ): Promise<string> {
      const document = await put(extension, bytes);
      const job = lastPage === undefined ? document : { ...document, lastPage };
      const { engine: used } = await using.convert(job, { signal, timeoutMs });
      expect(used).toBe(engine);
      return document.output;
    }

    test("Japanese, Korean and Chinese have glyphs: their fonts are in the PDF", async () => {
      const pdf = await convert(
        "docx",
        makeDocx({ paragraphs: ["日本語の文章", "한국어 문장", "简体中文 與繁體中文"] }),
      );
      const [words = ""] = await wordsOf(pdf);
      expect(words).toContain("日本語の文章");
      expect(words).toContain("한국어");
      const bytes = (await readFile(pdf)).toString("latin1");
      expect(bytes).toMatch(/\+(NotoSans|Noto#20Sans)\w*/);
      expect(bytes).toMatch(/\+NotoSansKR/);
    }, 400_000);

    test("title and author of the document are those of its PDF", async () => {
      const named = { title: "Bericht über Leuchttürme", author: "Ottilie Wreck" };
      const document = await (
        await createPdfiumEngine(700 * 2 ** 20)
      ).open(await convert("docx", makeTitledDocx(named)));
      try {
        expect(await document.properties()).toEqual(named);
      } finally {
        await document.close();
      }
    }, 400_000);

    test("hidden slides and sheets are not shown", async () => {
      const slides = await convert("pptx", makePptx({ slides: ["Shown", { text: "Secret", hidden: true }] }));
      expect((await wordsOf(slides)).join()).toMatch(/^\s*Shown\s*$/);
      const sheets = [
        { name: "One", rows: [["Shown"]] },
        { name: "Two", rows: [["Secret"]], hidden: true },
      ];
      expect((await wordsOf(await convert("xlsx", makeXlsx({ sheets })))).join()).toMatch(/^[^S]*Shown[^S]*$/);
    }, 400_000);

    test("a spreadsheet's PDF ends where the caller says", async () => {
      const rows = Array.from({ length: 400 }, (_, row) => [`Row ${row}`]);
      const document = makeXlsx({ sheets: [{ name: "Long", rows }] });
      expect((await wordsOf(await convert("xlsx", document))).length).toBeGreaterThan(4);
      expect(await wordsOf(await convert("xlsx", document, { lastPage: 3 }))).toHaveLength(3);
    }, 400_000);

    test("what is no document is refused with a sentence, and leaves no PDF", async () => {
      const document = await put("docx", Buffer.from("PK\u0003\u0004 not really"));
      const conversion = conversions.convert(document, { signal: new AbortController().signal, timeoutMs: minute });
      await expect(conversion).rejects.toThrow(DocumentError);
      expect(existsSync(document.output)).toBe(false);
    }, 400_000);

    test("time, memory and cancel end it, and the next one is converted", async () => {
      const long = makeDocx({ paragraphs: Array.from({ length: 60_000 }, (_, index) => `Paragraph ${index}`) });
      await expect(convert("docx", long, { timeoutMs: 300 })).rejects.toThrow("takes longer than 0.3 s");

      const small = createConverters({ choice: engine, scratchParent, maxRssBytes: 60 * 2 ** 20 });
      try {
        await expect(convert("docx", long, { using: small })).rejects.toThrow("needs more memory than 60 MB");
      } finally {
        await small.close();
      }

      const controller = new AbortController();
      const cancelled = convert("docx", long, { signal: controller.signal });
      setTimeout(() => controller.abort(new Error("cancelled")), 500);
      await expect(cancelled).rejects.toThrow("cancelled");

      expect(await wordsOf(await convert("docx", makeDocx({ paragraphs: ["Next"] })))).toHaveLength(1);
      // No folder of any conversion is left; system LibreOffice keeps its fonts.
      for (const name of existsSync(scratchParent) ? await readdir(scratchParent) : []) {
        expect((await readdir(join(scratchParent, name))).filter((entry) => entry.startsWith("job-"))).toEqual([]);
      }
    }, 400_000);

    test("no process outlives a worker that is killed, and its folders are swept by the next", async () => {
      const long = await put(
        "docx",
        makeDocx({ paragraphs: Array.from({ length: 60_000 }, (_, n) => `Paragraph ${n}`) }),
      );
      const module = new URL("../../server/pipeline/convert/select.ts", import.meta.url).href;
      const code = `const { createConverters } = await import(${JSON.stringify(module)});
        const conversions = createConverters(${JSON.stringify({ choice: engine, scratchParent })});
        await conversions.convert(${JSON.stringify(long)}, { signal: new AbortController().signal, timeoutMs: 100000 });`;
      const worker = spawn(process.execPath, ["--input-type=module", "-e", code], { stdio: "ignore" });
      const busy = (pid: number): boolean =>
        spawnSync("ps", ["-o", "args=", "-p", String(pid)], { encoding: "utf8" }).stdout.match(
          /soffice\.bin|wasm\/child/,
        ) !== null;
      let started: number[] = [];
      await vi.waitUntil(
        () => {
          started = descendants(worker.pid ?? 0);
          return started.some(busy);
        },
        { timeout: 4 * minute },
      );
      worker.kill("SIGKILL");
      await once(worker, "exit");
      await vi.waitUntil(() => started.every((pid) => !isAlive(pid)), { timeout: minute });
      const next = createConverters({ choice: engine, scratchParent });
      await convert("docx", makeDocx({ paragraphs: ["Next"] }), { using: next });
      await next.close();
      const left = existsSync(scratchParent) ? await readdir(scratchParent) : [];
      expect(left.filter((name) => name.startsWith(`drs-convert-${worker.pid}-`))).toEqual([]);
    }, 400_000);
  });
});
