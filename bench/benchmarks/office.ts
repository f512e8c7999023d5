import { join } from "node:path";
import type { PagePool } from "../../server/pipeline/threads/pool.ts";
import type { Bench, Benchmark } from "../benchmark.ts";
import type { Row } from "../measuring/report.ts";
import { median } from "../measuring/statistics.ts";
import { listOfficeDocuments, type OfficeDocument, refusalOf, writeSimpleDocument } from "../office/documents.ts";
import { type Engine, openEngines } from "../office/engines.ts";
import { differenceOf, openPool } from "../office/pictures.ts";
import { missingCorpus } from "../service/document.ts";

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
