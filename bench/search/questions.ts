import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { z } from "zod";
import { corpusFile, hasCorpus } from "../../test/service/corpus.ts";
import type { Row } from "../measuring/report.ts";
import { percentile } from "../measuring/statistics.ts";
import { ask, askWhile } from "./rest.ts";
import { folderBytes, type Service, succeed } from "../service/service.ts";

/** Questions about real documents, with the documents. Neither is part of the repository. */
export interface RealQuestions {
  readonly questions: readonly string[];
  /** PDF files. */
  readonly documents: readonly string[];
}

/** A folder that has `eval/manuals.jsonl.gz`, as for `npm run eval`. */
const dataDir = process.env["DRS_EVAL_DATA"];
export const missingQuestions =
  dataDir !== undefined && hasCorpus
    ? undefined
    : "real questions: name a folder with eval/manuals.jsonl.gz by DRS_EVAL_DATA, and that of their documents by DRS_CORPUS";

const line = z.object({ q: z.string(), doc: z.string() });

export async function readQuestions(): Promise<RealQuestions> {
  const bytes = await readFile(join(dataDir ?? "", "eval", "manuals.jsonl.gz"));
  const lines = (await promisify(gunzip)(bytes)).toString("utf8").trim().split("\n");
  const parsed = lines.map((text) => line.parse(JSON.parse(text)));
  return {
    questions: parsed.map(({ q }) => q),
    documents: [...new Set(parsed.map(({ doc }) => doc))].map((name) => corpusFile(`pdf/${name}`)),
  };
}

/** Uploads and vectorizes the documents. Returns the number of pages. */
export async function addDocuments({ drs }: Service, { documents }: RealQuestions): Promise<number> {
  let pages = 0;
  for (const document of documents) {
    const job = await drs.datasets.upload(document, { vectorize: true });
    await drs.jobs.wait(job.id);
    pages += (await drs.datasets.get(job.datasetId)).itemCount;
  }
  return pages;
}

const warmUps = 30;

interface QuestionCosts {
  readonly p50: number;
  readonly p99: number;
  /** CPU of API and worker per question. */
  readonly cpuMs: number;
  readonly aSecond: number;
  readonly row: Row;
}

/** Asks each question once, `atOnce` of them at a time. */
export async function askAll(service: Service, { questions }: RealQuestions, atOnce: number): Promise<QuestionCosts> {
  for (const question of questions.slice(0, warmUps)) await ask(service, question);
  const times: number[] = [];
  const waiting = [...questions];
  const [since, used] = [performance.now(), service.cpuMs()];
  const asking = Array.from({ length: atOnce }, async () => {
    for (let question = waiting.shift(); question !== undefined; question = waiting.shift()) {
      times.push(await ask(service, question));
    }
  });
  await Promise.all(asking);
  const aSecond = (1000 * times.length) / (performance.now() - since);
  const [p50, p99] = [percentile(times, 0.5), percentile(times, 0.99)];
  const spent = (service.cpuMs() - used) / times.length;
  const row = { "at once": atOnce, "p50 ms": p50, "p99 ms": p99, "CPU ms": spent, "a second": aSecond };
  return { p50, p99, cpuMs: spent, aSecond, row };
}

/** Asks questions one after another while a document is vectorized. Returns the median in milliseconds, and their number. */
export async function askBeside(
  service: Service,
  { questions }: RealQuestions,
  document: string,
): Promise<{ readonly p50: number; readonly asked: number }> {
  const job = await service.drs.datasets.upload(document, { vectorize: true });
  const question = (index: number): string => questions[index % questions.length] ?? "";
  const times = await askWhile(service, question, succeed(service.drs, job));
  return { p50: percentile(times, 0.5), asked: times.length };
}

/** Returns the KB per page of features and index. */
export async function sizes({ dataDir }: Service, pages: number): Promise<{ features: number; index: number }> {
  const kilobytes = async (...path: readonly string[]): Promise<number> =>
    (await folderBytes(join(dataDir, ...path))) / 1000 / pages;
  return { features: await kilobytes("blobs", "features"), index: await kilobytes("vectors") };
}
