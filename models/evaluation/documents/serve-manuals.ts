import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { z } from "zod";
import { serveDocuments, type ServedDocuments, type Work } from "./serve-documents.ts";

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
export interface ServedManuals extends ServedDocuments {
  readonly questions: readonly ManualQuestion[];
}

/** Uploads the documents that the questions are about to a server, as far as its data folder does not have them. */
export async function serveManuals<Served, Kept>(
  { dataDir, corpus, model, keep }: ManualsOptions,
  { served, kept }: Work<ServedManuals, Served, Kept>,
): Promise<Kept> {
  const questions = await readQuestions(dataDir);
  const names = questions.flatMap(({ doc, also_docs: also = [] }) => [doc, ...also]);
  return serveDocuments(
    { corpus, names: [...new Set(names)], model, keep },
    { served: (documents) => served({ ...documents, questions }), kept },
  );
}

export async function readQuestions(dataDir: string): Promise<readonly ManualQuestion[]> {
  const packed = await readFile(join(dataDir, "eval", "manuals.jsonl.gz"));
  const lines = (await promisify(gunzip)(packed)).toString("utf8").split("\n");
  return lines.filter((text) => text.trim() !== "").map((text) => line.parse(JSON.parse(text)));
}
