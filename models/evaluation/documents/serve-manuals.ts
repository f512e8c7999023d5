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
  /** Documents with the same text, whose same pages answer. */
  also_docs: z.array(z.string()).optional(),
});
export type ManualQuestion = z.infer<typeof line>;

export interface ManualsOptions {
  /** The folder with `eval/manuals.jsonl.gz`. */
  readonly dataDir: string;
  /** The folder with the documents that it names. */
  readonly corpus: string;
  readonly model: string;
  /** The server's data folder, which keeps the documents for the next run; if undefined, a temporary one. */
  readonly keep: string | undefined;
}

/** A server with the documents of the questions. */
export interface ServedManuals extends ServedDocuments {
  readonly questions: readonly ManualQuestion[];
}

/** Uploads the documents of the questions to a server, unless its data folder already has them. */
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
