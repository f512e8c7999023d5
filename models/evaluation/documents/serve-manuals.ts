import { openAsBlob } from "node:fs";
import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { createDrs, type Drs } from "@drs/client";
import { z } from "zod";
import { readSettings } from "../../../server/config.ts";
import { serve } from "../../../server/serve.ts";

const line = z.object({
  q: z.string().min(1),
  doc: z.string().min(1),
  pages: z.array(z.int().positive()).min(1),
  kind: z.string(),
  /** Whether the question names the document. */
  names: z.boolean(),
  lang: z.string(),
  /** Documents with the same text, of which the same pages answer. */
  also_docs: z.array(z.string()).optional(),
});
export type ManualQuestion = z.infer<typeof line>;

export interface ManualsOptions {
  /** Has `eval/manuals.jsonl.gz`. */
  readonly dataDir: string;
  /** The documents that it names. */
  readonly corpus: string;
  readonly model: string;
  /** Data folder of the server, which keeps the documents for the next run; undefined: a new one, which goes. */
  readonly keep: string | undefined;
}

/** A server that has the documents of the questions. */
export interface ServedManuals {
  readonly drs: Drs;
  readonly questions: readonly ManualQuestion[];
  /** Of the documents, by name. */
  readonly ids: ReadonlyMap<string, string>;
}

interface Work<Served, Kept> {
  /** While the server runs. */
  readonly served: (manuals: ServedManuals) => Promise<Served>;
  /** With the data folder that it has left. */
  readonly kept: (folder: string, served: Served) => Promise<Kept>;
}

/** Uploads the documents that the questions are about to a server, as far as its data folder does not have them. */
export async function serveManuals<Served, Kept>(
  { dataDir, corpus, model, keep }: ManualsOptions,
  { served, kept }: Work<Served, Kept>,
): Promise<Kept> {
  const questions = await readQuestions(dataDir);
  const folder = keep === undefined ? await mkdtemp(join(tmpdir(), "drs-eval-")) : resolve(keep);
  await mkdir(folder, { recursive: true });
  try {
    const flags = { dataDir: folder, host: "127.0.0.1", port: "0", model, log: "error" };
    const server = await serve(readSettings({ flags, env: {} }));
    let found: Served;
    try {
      const drs = createDrs({ server: server.url, apiKey: server.credentials?.apiKey ?? "" });
      const names = questions.flatMap(({ doc, also_docs: also = [] }) => [doc, ...also]);
      found = await served({ drs, questions, ids: await upload(drs, resolve(corpus), [...new Set(names)]) });
    } finally {
      await server.close();
    }
    return await kept(folder, found);
  } finally {
    if (keep === undefined) await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

export async function readQuestions(dataDir: string): Promise<readonly ManualQuestion[]> {
  const packed = await readFile(join(dataDir, "eval", "manuals.jsonl.gz"));
  const lines = (await promisify(gunzip)(packed)).toString("utf8").split("\n");
  return lines.filter((text) => text.trim() !== "").map((text) => line.parse(JSON.parse(text)));
}

/** Ids by name; what the server has already is not uploaded again. A run that was interrupted may have left it to be read. */
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

/** Waits for a document to be read, and says how many pages it has. */
async function read(drs: Drs, jobId: string, name: string): Promise<number> {
  const done = await drs.jobs.wait(jobId);
  if (done.status !== "SUCCESS") throw new Error(`${name}: ${done.statusText}`);
  return done.progress.pagesTotal;
}
