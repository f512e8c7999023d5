import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { DocumentError, EngineFault, PageError, reasons, sentences } from "../errors.ts";
import type { OpenDocument, PageEngine } from "./engine.ts";
import { createPageReader, type PageReader } from "./reader.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "drs-reader-"));
  for (let n = 1; n <= 6; n++) await writeFile(join(folder, `${n}`), "x");
});
afterAll(() => rm(folder, { recursive: true }));

interface Script {
  readonly open?: () => void;
  readonly page?: (page: number) => void;
  readonly heldBytes?: () => number;
  readonly title?: string;
}

const log: string[] = [];

function engine(name: string, script: Script = {}): PageEngine {
  return {
    heldBytes: script.heldBytes ?? (() => 0),
    async open(file) {
      log.push(`${name} opens ${file.slice(-1)}`);
      script.open?.();
      const read = async (page: number): ReturnType<OpenDocument["read"]> => {
        script.page?.(page);
        return { width: 1, height: 1, words: name };
      };
      const unused = async (): Promise<never> => {
        throw new Error("not in this test");
      };
      return {
        pageCount: 9,
        properties: async () => ({ title: script.title ?? "", author: name }),
        read,
        characters: unused,
        drawing: unused,
        picture: unused,
        jpeg: unused,
        onePagePdf: unused,
        close: async () => void log.push(`${name} closes ${file.slice(-1)}`),
      };
    },
  };
}

function reader(first: Script, second: Script = {}): PageReader {
  log.length = 0;
  const start = async (): Promise<PageEngine> => {
    log.push("start");
    return engine("first", first);
  };
  return createPageReader({ first: start, second: engine("second", second), maxEngineBytes: 100 * 2 ** 20 });
}

const read = async (from: PageReader, page: number, file = "1"): Promise<string> =>
  (await from.use(join(folder, file), page, (document) => document.read(page))).words;

const fail = (error: Error) => (): never => {
  throw error;
};

test("opens a document once for many pages", async () => {
  const it = reader({});
  expect([await read(it, 1), await read(it, 2)]).toEqual(["first", "first"]);
  expect(log).toEqual(["start", "first opens 1"]);
});

test("takes the second engine for a page that the first cannot do, and only for that", async () => {
  const it = reader({
    page: (page) => {
      if (page === 2) throw new PageError(2, reasons.unreadable);
    },
  });
  expect([await read(it, 2), await read(it, 3)]).toEqual(["second", "first"]);
});

test("takes the second engine for a document that the first cannot open, and remembers", async () => {
  const it = reader({ open: fail(sentences.damaged()) });
  expect([await read(it, 1), await read(it, 2)]).toEqual(["second", "second"]);
  expect(log).toEqual(["start", "first opens 1", "second opens 1"]);
});

test("reports the first engine's error if neither can", async () => {
  const it = reader(
    { page: fail(new PageError(1, "first reason")) },
    { page: fail(new PageError(1, "second reason")) },
  );
  await expect(read(it, 1)).rejects.toThrow("first reason");
});

test("does not try a password twice", async () => {
  const it = reader({ open: fail(sentences.encrypted()) });
  await expect(read(it, 1)).rejects.toBeInstanceOf(DocumentError);
  expect(log).not.toContain("second opens 1");
});

test("starts a new engine after a crash, and gives the page to the second", async () => {
  let crashes = 1;
  const it = reader({
    page: () => {
      if (crashes-- > 0) throw new EngineFault("crash");
    },
  });
  expect([await read(it, 1), await read(it, 2)]).toEqual(["second", "first"]);
  expect(log.filter((line) => line === "start")).toHaveLength(2);
});

test("a page that fills a fresh engine fails", async () => {
  const it = reader({ page: fail(new EngineFault("memory")) });
  await expect(read(it, 4)).rejects.toMatchObject({
    name: "PageError",
    page: 4,
    message: reasons.memory(100 * 2 ** 20),
  });
  expect(log).not.toContain("second opens 1");
});

test("a page that needs memory which earlier work holds does not fail", async () => {
  const it = reader({ page: fail(new EngineFault("memory")), heldBytes: () => 90 * 2 ** 20 });
  await expect(read(it, 4)).rejects.toBeInstanceOf(EngineFault);
});

test("counts heaps that have been dropped", async () => {
  const it = reader({ heldBytes: () => 200 * 2 ** 20 });
  await read(it, 1);
  expect(it.isHeavy()).toBe(false);
  await it.close();
  await read(it, 1);
  expect(it.isHeavy()).toBe(true);
});

test("closes the document that was used longest ago", async () => {
  const it = reader({});
  for (const file of ["1", "2", "3", "4"]) await read(it, 1, file);
  await read(it, 1, "1");
  await read(it, 1, "5");
  expect(log.filter((line) => line.includes("closes"))).toEqual(["first closes 2"]);
});

test("opens a changed file again", async () => {
  const it = reader({});
  await read(it, 1, "6");
  await writeFile(join(folder, "6"), "longer");
  await read(it, 1, "6");
  expect(log.filter((line) => line === "first opens 6")).toHaveLength(2);
});
