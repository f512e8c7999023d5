import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type FixtureDocument, makePdf } from "../../../test/fixtures/pdf.ts";
import type { PageFailure } from "../../domain/jobs/job.ts";
import { reasons } from "../errors.ts";
import { createPagePool, type PagePool, type PageRead } from "./pool.ts";

/** Hundreds of times as long as a plain page takes, and half as long as the slow ones take. */
const pageTimeoutMs = 300;

let folder: string;
let pool: PagePool;
/** A pool with a short time-out. */
let hasty: PagePool;
const files: Record<"plain" | "mixed" | "endless" | "locked", string> = {
  plain: "",
  mixed: "",
  endless: "",
  locked: "",
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "drs-pool-"));
  const make = async (name: keyof typeof files, fixture: FixtureDocument): Promise<void> => {
    files[name] = join(folder, `${name}.pdf`);
    await writeFile(files[name], makePdf(fixture));
  };
  const plain = Array.from({ length: 40 }, (_, index) => ({ text: `page ${index + 1}` }));
  await make("plain", { pages: plain });
  const slowToRead = { operators: `BT /F1 8 Tf ${"1 0 0 1 100 100 Tm (abcdefghij) Tj ".repeat(500_000)} ET` };
  await make("mixed", { pages: plain.with(4, { text: "", ...slowToRead }) });
  const noise = {
    width: 600,
    height: 600,
    pixel: (x: number, y: number) => [x % 256, y % 256, (x * y) % 256] as const,
  };
  const endless = { picture: noise, operators: `q 595 0 0 842 0 0 cm ${"/Im1 Do ".repeat(20_000)} Q` };
  await make("endless", { pages: [{ text: "before" }, endless, { text: "after" }] });
  await make("locked", { pages: plain, encrypted: true });
  pool = createPagePool({ threads: 2 });
  hasty = createPagePool({ threads: 1, pageTimeoutMs });
});

afterAll(async () => {
  await pool.close();
  await hasty.close();
  await rm(folder, { recursive: true });
});

const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

async function readAll(file: string, pages: readonly number[], by = pool) {
  const read: PageRead[] = [];
  const failed: PageFailure[] = [];
  const announced = new Set<number>();
  const on = {
    start: (batch: readonly number[]) => batch.forEach((page) => announced.add(page)),
    page(result: PageRead | PageFailure) {
      expect(announced).toContain(result.page);
      if ("reason" in result) failed.push(result);
      else read.push(result);
    },
  };
  await by.readPages({ file, pages }, on);
  return { read: read.sort((a, b) => a.page - b.page), failed };
}

test("counts pages", async () => {
  expect(await pool.countPages(files.plain)).toBe(40);
});

test("says why a document cannot be opened", async () => {
  await expect(pool.countPages(files.locked)).rejects.toMatchObject({ name: "DocumentError", fault: "encrypted" });
});

describe("properties of the file", () => {
  const propertiesOf = async (document: FixtureDocument) => {
    const file = join(folder, "properties.pdf");
    await writeFile(file, makePdf(document));
    return pool.readProperties(file);
  };
  const pages = [{ text: "a page" }];

  test("come from its information dictionary, without what programs put there", async () => {
    const info = { title: "Microsoft Word - Report of the\tOtters.doc", author: "admin" };
    expect(await propertiesOf({ pages, info })).toEqual({ title: "Report of the Otters.doc", author: null });
    expect(await propertiesOf({ pages })).toEqual({ title: null, author: null });
    expect(await propertiesOf({ pages, info: { title: "otter ".repeat(20_000) } })).toEqual({
      title: null,
      author: null,
    });
  });

  test("come from its XMP packet where that alone has a title", async () => {
    const xmp = { title: "Otters &amp; Lynxes", author: "Jo Doe" };
    expect(await propertiesOf({ pages, xmp })).toEqual({ title: "Otters & Lynxes", author: "Jo Doe" });
    expect(await propertiesOf({ pages, xmp, info: { title: "Pelicans" } })).toEqual({
      title: "Pelicans",
      author: null,
    });
    expect(await propertiesOf({ pages, xmp: { title: "<broken" } })).toEqual({ title: null, author: null });
  });

  test("of a document that cannot be opened are none", async () => {
    expect(await pool.readProperties(files.locked)).toEqual({ title: null, author: null });
  });
});

test("reads every page once", async () => {
  const { read, failed } = await readAll(files.plain, upTo(40));
  expect(read.map(({ words }) => words)).toEqual(upTo(40).map((page) => `page ${page}`));
  expect(read[0]).toEqual({ page: 1, width: 595, height: 842, words: "page 1" });
  expect(failed).toEqual([]);
});

test("reads the pages that are asked for, and names those that are not there", async () => {
  const { read, failed } = await readAll(files.plain, [39, 41]);
  expect(read.map(({ page }) => page)).toEqual([39]);
  expect(failed).toEqual([{ page: 41, reason: reasons.unreadable }]);
});

test("a page that takes too long to read fails alone", async () => {
  const { read, failed } = await readAll(files.mixed, upTo(40), hasty);
  expect(read.map(({ page }) => page)).toEqual(upTo(40).filter((page) => page !== 5));
  expect(failed).toEqual([{ page: 5, reason: reasons.time(pageTimeoutMs) }]);
});

test("renders a page either way", async () => {
  const jpeg = await pool.renderPage({ file: files.plain, page: 3, row: "jpg" });
  expect(await sharp(jpeg).metadata()).toMatchObject({ format: "jpeg", height: 1754 });
  const pdf = await pool.renderPage({ file: files.plain, page: 3, row: "pdf" });
  const single = join(folder, "single.pdf");
  await writeFile(single, pdf);
  expect((await readAll(single, [1])).read[0]?.words).toBe("page 3");
});

test("a page that takes too long to draw fails, and the next one is drawn", async () => {
  const endless = hasty.renderPage({ file: files.endless, page: 2, row: "jpg" });
  await expect(endless).rejects.toMatchObject({ name: "PageError", page: 2, message: reasons.time(pageTimeoutMs) });
  await expect(hasty.renderPage({ file: files.endless, page: 3, row: "jpg" })).resolves.toBeDefined();
});

test("work that waits for a thread starts when the work before it is cancelled", async () => {
  const alone = createPagePool({ threads: 1 });
  const cancel = new AbortController();
  let counting: Promise<number> | undefined;
  const on = {
    start: () => undefined,
    // The first page has been read, so the only thread is busy with the slow one.
    page() {
      counting ??= alone.countPages(files.plain);
      setImmediate(() => cancel.abort(new Error("enough")));
    },
  };
  const reading = alone.readPages({ file: files.mixed, pages: [4, 5] }, on, cancel.signal);
  await expect(reading).rejects.toThrow("enough");
  expect(await counting).toBe(40);
  await alone.close();
});

test("names documents and pages that cannot be rendered", async () => {
  const render = (file: string, page: number) => pool.renderPage({ file, page, row: "jpg" });
  await expect(render(files.locked, 1)).rejects.toMatchObject({ name: "DocumentError", fault: "encrypted" });
  await expect(render(files.plain, 41)).rejects.toMatchObject({ name: "PageError", page: 41 });
});

test("cancelling stops the thread and leaves the pool working", async () => {
  const patient = createPagePool({ threads: 1, pageTimeoutMs: 600_000 });
  try {
    const controller = new AbortController();
    const reason = new Error("cancelled");
    const endless = patient.renderPage({ file: files.endless, page: 2, row: "jpg" }, controller.signal);
    setTimeout(() => controller.abort(reason), 200);
    await expect(endless).rejects.toBe(reason);
    // The only thread for views would still be drawing.
    await expect(patient.renderPage({ file: files.endless, page: 1, row: "jpg" })).resolves.toBeDefined();
  } finally {
    await patient.close();
  }
});

test("new threads take over while the old ones finish their tasks", async () => {
  const renewing = createPagePool({ threads: 2 });
  let renewed: Promise<void> | undefined;
  const read: number[] = [];
  const on = {
    start: () => undefined,
    page(result: PageRead | PageFailure) {
      renewed ??= renewing.renew();
      if ("words" in result) read.push(result.page);
    },
  };
  await renewing.readPages({ file: files.plain, pages: upTo(40) }, on);
  await renewed;
  expect(read.sort((a, b) => a - b)).toEqual(upTo(40));
  expect(await renewing.countPages(files.plain)).toBe(40);
  await renewing.close();
});

test("a listener that fails ends the reading with its error", async () => {
  const failure = new Error("the store is gone");
  const on = {
    start: () => {},
    page() {
      throw failure;
    },
  };
  await expect(pool.readPages({ file: files.plain, pages: upTo(40) }, on)).rejects.toBe(failure);
});
