import { openAsBlob } from "node:fs";
import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { createDrs, type Drs } from "@drs/client";
import { z } from "zod";
import { readSettings } from "../../../server/settings/settings.ts";
import { serve } from "../../../server/serve.ts";

interface DocumentsOptions {
  /** The folder with the documents. */
  readonly corpus: string;
  /** File names in the folder. */
  readonly names: readonly string[];
  readonly model: string;
  /** The server's data folder, which keeps the documents for the next run; if undefined, a temporary one. */
  readonly keep: string | undefined;
}

/** A server with the documents. */
interface ServedDocuments {
  readonly drs: Drs;
  /** The ids of the documents by name. */
  readonly ids: ReadonlyMap<string, string>;
}

interface Work<Documents, Served, Kept> {
  /** Called while the server runs. */
  readonly served: (documents: Documents) => Promise<Served>;
  /** Called with the data folder after the server has stopped. */
  readonly kept: (folder: string, served: Served) => Promise<Kept>;
}

/** Uploads documents to a server, unless its data folder already has them. */
export async function serveDocuments<Served, Kept>(
  { corpus, names, model, keep }: DocumentsOptions,
  { served, kept }: Work<ServedDocuments, Served, Kept>,
): Promise<Kept> {
  const folder = keep === undefined ? await mkdtemp(join(tmpdir(), "drs-eval-")) : resolve(keep);
  await mkdir(folder, { recursive: true });
  try {
    const flags = { dataDir: folder, host: "127.0.0.1", port: "0", model, log: "error" };
    const server = await serve(readSettings({ flags, env: {} }));
    let found: Served;
    try {
      const drs = createDrs({ server: server.url, apiKey: server.credentials?.apiKey ?? "" });
      found = await served({ drs, ids: await upload(drs, resolve(corpus), names) });
    } finally {
      await server.close();
    }
    return await kept(folder, found);
  } finally {
    if (keep === undefined) await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Returns ids by name. Documents that the server has are not uploaded again, but may still have to be read. */
async function upload(drs: Drs, corpus: string, names: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const ids = new Map<string, string>();
  for await (const { id, fileName } of drs.datasets.list()) ids.set(fileName, id);
  const nameOf = new Map(Array.from(ids, ([name, id]) => [id, name]));
  for await (const { id, datasetId } of drs.jobs.list()) await read(drs, id, nameOf.get(datasetId) ?? datasetId);
  for (const name of names) {
    if (ids.has(name)) continue;
    const job = await drs.datasets.upload(await openAsBlob(join(corpus, name)), { fileName: name, vectorize: true });
    ids.set(name, job.datasetId);
    process.stderr.write(`${name}: ${await read(drs, job.id, name)} pages\n`);
  }
  return ids;
}

/** Waits until a document is read. Returns its number of pages. */
async function read(drs: Drs, jobId: string, name: string): Promise<number> {
  const done = await drs.jobs.wait(jobId);
  if (done.status !== "SUCCESS") throw new Error(`${name}: ${done.statusText}`);
  return done.progress.pagesTotal;
}

const line = z.object({
  q: z.string().min(1),
  doc: z.string().min(1),
  pages: z.array(z.int().positive()).min(1),
  /** The type of the content that answers; only in manuals. */
  kind: z.string().optional(),
  /** Whether the answering pages have no text layer; only in mixed documents. */
  scan: z.boolean().optional(),
  /** Whether the question names the document; only in manuals. */
  names: z.boolean().optional(),
  lang: z.string().optional(),
  /** Documents with the same text, whose same pages answer. */
  also_docs: z.array(z.string()).optional(),
});
export type RealQuestion = z.infer<typeof line>;

/** The sets of questions about real documents. */
export type QuestionSet = "manuals" | "mixed";

export interface QuestionsOptions {
  readonly set: QuestionSet;
  /** The folder with `eval/manuals.jsonl.gz` and `eval/mixed.jsonl.gz`. */
  readonly dataDir: string;
  /** The folder with the documents that it names. */
  readonly corpus: string;
  readonly model: string;
  /** The server's data folder, which keeps the documents for the next run; if undefined, a temporary one. */
  readonly keep: string | undefined;
}

/** A server with the documents of the questions. */
interface ServedQuestions extends ServedDocuments {
  readonly questions: readonly RealQuestion[];
}

/** Uploads the documents of the questions to a server, unless its data folder already has them. */
export async function serveQuestions<Served, Kept>(
  { set, dataDir, corpus, model, keep }: QuestionsOptions,
  { served, kept }: Work<ServedQuestions, Served, Kept>,
): Promise<Kept> {
  const questions = await readQuestions(set, dataDir);
  const names = questions.flatMap(({ doc, also_docs: also = [] }) => [doc, ...also]);
  return serveDocuments(
    { corpus, names: [...new Set(names)], model, keep },
    { served: (documents) => served({ ...documents, questions }), kept },
  );
}

export async function readQuestions(set: QuestionSet, dataDir: string): Promise<readonly RealQuestion[]> {
  const packed = await readFile(join(dataDir, "eval", `${set}.jsonl.gz`));
  const lines = (await promisify(gunzip)(packed)).toString("utf8").split("\n");
  return lines.filter((text) => text.trim() !== "").map((text) => line.parse(JSON.parse(text)));
}
