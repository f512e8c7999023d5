import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { createDrs, type Drs } from "@drs/client";
import { CliError } from "../failures.ts";
import { pageFileName, saveShared } from "../files/page-file.ts";
import type { Output } from "../output/output.ts";
import { describeFound, type FoundPage } from "../search/found-pages.ts";
import { openProgress } from "../ui/progress.ts";
import { discover } from "../upload/sources/discover.ts";
import { reasonOf } from "../jobs/job-text.ts";
import { openSavedUploads } from "../upload/sessions/saved-uploads.ts";
import { uploadFiles } from "../upload/run.ts";
import type { CommandIo } from "../command-io.ts";
import { sampleQuestions, samples } from "../samples/samples.ts";
import { writeSample } from "../samples/write-sample.ts";

/** A question, and where its answer is if that is known. */
export interface Question {
  readonly question: string;
  readonly expected?: { readonly fileName: string; readonly page: number };
}

/** A question and the pages that were found. */
export interface Answer extends Question {
  readonly pages: readonly FoundPage[];
  /** Where the picture of the first page was saved. */
  readonly picture: string | undefined;
  /** Whether the expected page is first; undefined if none was expected. */
  readonly right: boolean | undefined;
}

/** A server that exists only for this run. */
export interface Embedded {
  readonly url: string;
  readonly credentials: { readonly apiKey: string };
  close(): Promise<void>;
}

export interface Quickstart {
  /** The user's documents; if empty, samples are used. */
  readonly files: readonly string[];
  readonly questions: readonly string[];
  readonly io: CommandIo;
  readonly output: Output;
  /** Starts a server on the folder. */
  readonly startServer: (folder: string) => Promise<Embedded>;
  readonly onAnswer: (answer: Answer) => void | Promise<void>;
  /** Called after all answers; the server keeps running until it resolves. */
  readonly onAnswered?: (up: Up) => Promise<void>;
}

/** The server of the run while it is up. */
export interface Up {
  readonly drs: Drs;
  readonly server: Embedded;
  readonly dataDir: string;
}

/** Number of pages shown per question. */
const pagesShown = 3;

/**
 * Runs every step from document to found page on a temporary server. Deletes the server's data afterwards, but not the
 * pictures.
 */
export async function runQuickstart({
  files,
  questions,
  io,
  output,
  startServer,
  onAnswer,
  onAnswered,
}: Quickstart): Promise<readonly Answer[]> {
  const folder = await mkdtemp(join(tmpdir(), "drs-quickstart-"));
  const pictures = await mkdtemp(join(tmpdir(), "drs-pictures-"));
  try {
    const documents =
      files.length > 0 ? files : await Promise.all(samples.map((sample) => writeSample(sample, folder)));
    io.signal.throwIfAborted();
    output.note(`starting a temporary server in ${folder}`);
    const dataDir = join(folder, "data");
    const server = await startServer(dataDir);
    try {
      const drs = createDrs({ server: server.url, apiKey: server.credentials.apiKey });
      output.note(`uploading and vectorizing ${documents.map((path) => basename(path)).join(", ")}`);
      await uploadAll({ drs, server: server.url }, documents, io, output);
      const answers: Answer[] = [];
      for (const asked of questionsOf(questions)) {
        const answer = await ask(drs, asked, pictures, io.signal);
        await onAnswer(answer);
        answers.push(answer);
      }
      await onAnswered?.({ drs, server, dataDir });
      return answers;
    } finally {
      await server.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function questionsOf(questions: readonly string[]): readonly Question[] {
  if (questions.length > 0) return questions.map((question) => ({ question }));
  return sampleQuestions.map(({ question, fileName, page }) => ({ question, expected: { fileName, page } }));
}

async function uploadAll(
  { drs, server }: { drs: Drs; server: string },
  documents: readonly string[],
  io: CommandIo,
  output: Output,
): Promise<void> {
  const { signal, env } = io;
  const view = await openProgress(io, output.json);
  await uploadFiles(drs, {
    sources: discover(documents, { recursive: false, include: [], exclude: [], signal }),
    server,
    signal,
    view,
    vectorize: true,
    wait: true,
    force: true,
    expiresInDays: undefined,
    fileName: undefined,
    atOnce: 4,
    retryTimeoutMs: 0,
    saved: openSavedUploads(env),
    onNote: (text) => output.note(text),
    onResult(result) {
      const { file, job } = result;
      if (result.outcome === "failed")
        throw new CliError(`${file}: ${result.failure.message}`, { next: result.failure.next });
      if (job?.status === "ERROR") throw new CliError(`${file}: ${reasonOf(job)}`);
    },
  });
}

async function ask(drs: Drs, asked: Question, pictures: string, signal: AbortSignal): Promise<Answer> {
  const found = await drs.search(asked.question, { limit: pagesShown, signal });
  const pages = await describeFound(drs, found, signal);
  const [first] = pages;
  const { expected } = asked;
  const right =
    expected === undefined ? undefined : first?.fileName === expected.fileName && first.col === expected.page;
  if (first === undefined) return { ...asked, pages, picture: undefined, right };
  const picture = join(pictures, pageFileName({ fileName: first.fileName, page: first.col, row: "jpg" }));
  await saveShared(drs, first, picture, { signal });
  return { ...asked, pages, picture, right };
}
