import { openAsBlob } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join, resolve, sep } from "node:path";
import { createDrs, type Drs } from "@drs/client";
import { serve } from "../../server/serve.ts";
import { readSettings } from "../../server/settings/settings.ts";
import { z } from "zod";
import { type Quality, qualityOf, tablesOf } from "./quality.ts";

const questionsName = "questions.jsonl";

/** One line of the questions file; `document` is a path inside the folder. */
const line = z.object({
  question: z.string().min(1),
  document: z.string().min(1),
  pages: z.array(z.int().positive()).min(1),
});

/** Measures the whole product: uploads documents to a temporary server, and asks it questions. */
export async function evaluateFolder(options: { folder: string; model: string }): Promise<Quality> {
  const folder = resolve(options.folder);
  const questions = parseQuestions(await readFile(join(folder, questionsName), "utf8"));
  const dataDir = await mkdtemp(join(tmpdir(), "drs-eval-"));
  try {
    const flags = { dataDir, host: "127.0.0.1", port: "0", model: options.model, log: "error" };
    const server = await serve(readSettings({ flags, env: {} }));
    try {
      const drs = createDrs({ server: server.url, apiKey: server.credentials?.apiKey ?? "" });
      const ids = await upload(drs, folder, [...new Set(questions.map(({ document }) => document))]);
      const rankings: string[][] = [];
      for (const { question } of questions) {
        rankings.push((await drs.search(question)).map(({ datasetId, col }) => `${datasetId}/${col}`));
      }
      const answers = questions.map(
        ({ document, pages }) => new Set(pages.map((page) => `${ids.get(document) ?? ""}/${page}`)),
      );
      const quality = qualityOf(rankings, answers);
      process.stdout.write(tablesOf({ fused: { [basename(folder)]: quality } }));
      return quality;
    } finally {
      await server.close();
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Parses the questions file. Throws an error that names the line and the field. */
export function parseQuestions(jsonLines: string): z.infer<typeof line>[] {
  const lines = jsonLines.split("\n").map((text, index) => ({ text, number: index + 1 }));
  const questions = lines
    .filter(({ text }) => text.trim() !== "")
    .map(({ text, number }) => {
      const parsed = z
        .string()
        .transform((json, context): unknown => {
          try {
            return JSON.parse(json);
          } catch {
            context.addIssue({ code: "custom", message: "is not JSON" });
            return z.NEVER;
          }
        })
        .pipe(line)
        .safeParse(text);
      if (parsed.success) return parsed.data;
      const problems = parsed.error.issues.map(({ path, message }) => `${path.join(".")} ${message}`.trim());
      throw new Error(`${questionsName}, line ${number}: ${problems.join("; ")}`);
    });
  if (questions.length === 0) throw new Error(`${questionsName} has no question`);
  return questions;
}

/** Uploads and vectorizes each document. Returns ids by path. Throws if one cannot be read. */
async function upload(drs: Drs, folder: string, documents: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const ids = new Map<string, string>();
  for (const document of documents) {
    const file = resolve(folder, document);
    if (!file.startsWith(folder + sep)) throw new Error(`${questionsName}: ${document} is not inside the folder`);
    const job = await drs.datasets.upload(await openAsBlob(file), { fileName: basename(file), vectorize: true });
    const done = await drs.jobs.wait(job.id);
    if (done.status !== "SUCCESS") throw new Error(`${document}: ${done.statusText}`);
    ids.set(document, job.datasetId);
    process.stderr.write(`${document}: ${done.progress.pagesTotal} pages\n`);
  }
  return ids;
}
