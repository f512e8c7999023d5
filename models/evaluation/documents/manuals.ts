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
import { qualityOf } from "../quality.ts";
import { type Figures, tablesOf } from "../table.ts";

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
type ManualQuestion = z.infer<typeof line>;

interface ManualsOptions {
  /** Has `eval/manuals.jsonl.gz`. */
  readonly dataDir: string;
  /** The documents that it names. */
  readonly corpus: string;
  readonly model: string;
  /** Data folder of the server, which keeps the documents for the next run; undefined: a new one, which goes. */
  readonly keep: string | undefined;
}

/** Measures the whole product on questions about real manuals: documents are uploaded to a server, and questions asked there. */
export async function evaluateManuals({ dataDir, corpus, model, keep }: ManualsOptions): Promise<Figures> {
  const questions = await readQuestions(dataDir);
  const folder = keep === undefined ? await mkdtemp(join(tmpdir(), "drs-eval-")) : resolve(keep);
  await mkdir(folder, { recursive: true });
  try {
    const flags = { dataDir: folder, host: "127.0.0.1", port: "0", model, log: "error" };
    const server = await serve(readSettings({ flags, env: {} }));
    try {
      const drs = createDrs({ server: server.url, apiKey: server.credentials?.apiKey ?? "" });
      const names = questions.flatMap(({ doc, also_docs: also = [] }) => [doc, ...also]);
      const ids = await upload(drs, resolve(corpus), [...new Set(names)]);
      const figures = await measure(drs, questions, ids);
      process.stdout.write(tablesOf(figures));
      return figures;
    } finally {
      await server.close();
    }
  } finally {
    if (keep === undefined) await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function readQuestions(dataDir: string): Promise<readonly ManualQuestion[]> {
  const packed = await readFile(join(dataDir, "eval", "manuals.jsonl.gz"));
  const lines = (await promisify(gunzip)(packed)).toString("utf8").split("\n");
  return lines.filter((text) => text.trim() !== "").map((text) => line.parse(JSON.parse(text)));
}

/** Ids by name; what the server has already is not uploaded again. */
async function upload(drs: Drs, corpus: string, names: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const ids = new Map<string, string>();
  for await (const { id, fileName } of drs.datasets.list()) ids.set(fileName, id);
  for (const name of names) {
    if (ids.has(name)) continue;
    const job = await drs.datasets.upload(await openAsBlob(join(corpus, name)), { fileName: name, vectorize: true });
    const done = await drs.jobs.wait(job.id);
    if (done.status !== "SUCCESS") throw new Error(`${name}: ${done.statusText}`);
    ids.set(name, job.datasetId);
    process.stderr.write(`${name}: ${done.progress.pagesTotal} pages\n`);
  }
  return ids;
}

interface Asked {
  readonly question: ManualQuestion;
  readonly all: readonly string[];
  readonly within: readonly string[];
  readonly answers: ReadonlySet<string>;
}

async function measure(
  drs: Drs,
  questions: readonly ManualQuestion[],
  ids: ReadonlyMap<string, string>,
): Promise<Figures> {
  const asked: Asked[] = [];
  for (const question of questions) {
    const id = ids.get(question.doc) ?? "";
    // Pages of documents with the same text count as pages of one.
    const same = new Set((question.also_docs ?? []).map((name) => ids.get(name)));
    const named = (found: readonly { readonly datasetId: string; readonly col: number }[]): string[] => [
      ...new Set(found.map(({ datasetId, col }) => `${same.has(datasetId) ? id : datasetId}/${col}`)),
    ];
    asked.push({
      question,
      all: named(await drs.search(question.q)),
      within: named(await drs.search(question.q, { datasetIds: [id] })),
      answers: new Set(question.pages.map((page) => `${id}/${page}`)),
    });
  }
  return figuresOf(asked);
}

function figuresOf(asked: readonly Asked[]): Figures {
  const kinds = [...new Set(asked.map(({ question }) => question.kind))];
  const languages = [...new Set(asked.map(({ question }) => question.lang))];
  const groups: Record<string, readonly Asked[]> = {
    all: asked,
    named: asked.filter(({ question }) => question.names),
    "not named": asked.filter(({ question }) => !question.names),
    ...Object.fromEntries(kinds.map((kind) => [kind, asked.filter(({ question }) => question.kind === kind)])),
    ...Object.fromEntries(languages.map((lang) => [lang, asked.filter(({ question }) => question.lang === lang)])),
  };
  const rate = (rank: (one: Asked) => readonly string[]) =>
    Object.fromEntries(
      Object.entries(groups).map(([group, some]) => [
        group,
        qualityOf(
          some.map(rank),
          some.map(({ answers }) => answers),
        ),
      ]),
    );
  return { "all documents": rate(({ all }) => all), "within the document": rate(({ within }) => within) };
}
