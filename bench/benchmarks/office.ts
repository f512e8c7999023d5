import { join } from "node:path";
import sharp from "sharp";
import { createPagePool, type PagePool } from "../../server/pipeline/threads/pool.ts";
import type { Bench, Benchmark } from "../benchmark.ts";
import type { Row } from "../measuring/report.ts";
import { mean, median } from "../measuring/statistics.ts";
import {
  type Engine,
  listOfficeDocuments,
  type OfficeDocument,
  openEngines,
  refusalOf,
  writeSimpleDocument,
} from "../office/engines.ts";
import { missingCorpus } from "../service/service.ts";

/** Conversions of the simple document by each engine, in turn. */
const rounds = 7;

export const office: Benchmark = {
  name: "office",
  title: "Office documents to PDF by LibreOffice as WASM, warm, against system LibreOffice",
  async run(bench) {
    const { folder, report } = bench;
    const engines = await openEngines(folder);
    const pool = openPool();
    try {
      for (const [name, reason] of engines.missing) report.skip(name, reason);
      const simple = await writeSimpleDocument(folder);
      for (const engine of engines.present) {
        report.progress(`warming up ${engine.name}, ${engine.version}`);
        await engine.convert(simple, join(folder, "warm-up.pdf"));
      }
      await convertSimple(bench, engines.present, simple);
      await convertEach(bench, { engines: engines.present, pool, simple });
    } finally {
      await Promise.all([engines.close(), pool.close()]);
    }
  },
};

async function convertSimple(
  { folder, report }: Bench,
  engines: readonly Engine[],
  simple: OfficeDocument,
): Promise<void> {
  const seen = new Map(engines.map(({ name }) => [name, [] as number[]]));
  for (let round = 1; round <= rounds; round++) {
    report.progress(`simple document, round ${round} of ${rounds}`);
    for (const engine of engines) {
      seen.get(engine.name)?.push(await engine.convert(simple, join(folder, `simple-${engine.name}.pdf`)));
    }
  }
  const soffice = seen.get("soffice");
  const rows = Array.from(seen, ([engine, seconds]): Row => ({
    engine,
    "median s": median(seconds),
    "least s": Math.min(...seconds),
    "most s": Math.max(...seconds),
    ...(soffice !== undefined && { "median / soffice's": median(seconds) / median(soffice) }),
  }));
  report.table(`a docx of one page, ${rounds} rounds by turns: wasm is warm, soffice starts anew each time`, rows);
  const wasm = seen.get("wasm");
  if (wasm !== undefined) report.bar("simple docx by warm WASM", median(wasm), 1, "s");
}

async function convertEach({ folder, report }: Bench, { engines, pool, simple }: Conversions): Promise<void> {
  const corpus = await listOfficeDocuments();
  if (corpus === undefined) report.skip("real documents", missingCorpus ?? "their folder has no folder office");
  const documents = [simple, ...(corpus ?? [])];
  const rows: Row[] = [];
  const failures: Error[] = [];
  for (const document of documents) {
    const refusal = await refusalOf(document);
    if (refusal !== undefined) {
      report.skip(document.name, refusal);
      continue;
    }
    const made: Conversion[] = [];
    for (const engine of engines) {
      report.progress(`${document.name} by ${engine.name}`);
      const output = join(folder, `${document.name}-${engine.name}.pdf`);
      try {
        const seconds = await engine.convert(document, output);
        made.push({ engine, output, seconds, pages: await pool.countPages(output) });
      } catch (cause) {
        failures.push(new Error(`${document.name} by ${engine.name}`, { cause }));
      }
    }
    rows.push({ document: document.name, ...(await rowOf(pool, engines, made)) });
  }
  report.table("each document once; pictures of the pages that both made are compared in grey, 0 to 255", rows);
  if (failures.length > 0) throw new AggregateError(failures, "documents were not converted");
}

interface Conversions {
  readonly engines: readonly Engine[];
  readonly pool: PagePool;
  readonly simple: OfficeDocument;
}

interface Conversion {
  readonly engine: Engine;
  readonly output: string;
  readonly seconds: number;
  readonly pages: number;
}

async function rowOf(pool: PagePool, engines: readonly Engine[], made: readonly Conversion[]): Promise<Row> {
  const row: Record<string, string | number> = {};
  for (const { name } of engines) {
    const of = made.find(({ engine }) => engine.name === name);
    row[`${name} pages`] = of?.pages ?? "failed";
    row[`${name} s`] = of?.seconds ?? "failed";
  }
  if (engines.length < 2) return row;
  const [one, other] = made;
  if (one === undefined || other === undefined)
    return { ...row, ratio: "", "mean difference": "", "of the worst page": "" };
  const difference = await differenceOf(pool, [one.output, other.output], Math.min(one.pages, other.pages));
  return {
    ...row,
    ratio: one.seconds / other.seconds,
    "mean difference": difference.mean,
    "of the worst page": difference.largest,
  };
}

export interface Difference {
  /** The mean over all common pages, in grey levels from 0 (equal) to 255. */
  readonly mean: number;
  /** The difference of the page that differs most. */
  readonly largest: number;
}

/** Dots per A4 page: enough to see a line move, and too few to see how glyphs are smoothed. */
const size = { width: 300, height: 424 } as const;

/** The service's own threads, which count and draw pages. */
function openPool(): PagePool {
  return createPagePool({ threads: 1 });
}

/** Returns how much the first `pages` pages of two PDFs differ visually. */
async function differenceOf(
  pool: PagePool,
  files: readonly [one: string, other: string],
  pages: number,
): Promise<Difference> {
  const differences: number[] = [];
  for (let page = 1; page <= pages; page++) {
    const [one, other] = await Promise.all([draw(pool, files[0], page), draw(pool, files[1], page)]);
    differences.push(mean(Array.from(one, (grey, index) => Math.abs(grey - (other[index] ?? 0)))));
  }
  return { mean: mean(differences), largest: Math.max(...differences) };
}

/** Draws a page in grey at a fixed size, so that pages of different shapes also count as different. */
async function draw(pool: PagePool, file: string, page: number): Promise<Uint8Array> {
  const picture = await pool.renderPage({ file, page, row: "jpg" });
  return sharp(picture)
    .resize({ ...size, fit: "fill" })
    .toColourspace("b-w")
    .raw()
    .toBuffer();
}
