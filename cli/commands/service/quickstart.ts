import { once } from "node:events";
import { readFile } from "node:fs/promises";
import type { Command } from "commander";
import type { Output } from "../../output/output.ts";
import { createOutput } from "../../output/output.ts";
import { printable } from "../../output/printable.ts";
import { exitCodes } from "../../exit-codes.ts";
import { usageError } from "../../failures.ts";
import { type Gallery, openGallery } from "../../pictures/gallery.ts";
import { type Answer, type Embedded, runQuickstart, type Up } from "../../quickstart/run.ts";
import { openInBrowser } from "../../terminal/browser.ts";
import { ownCommand, shellWord } from "../../terminal/own-command.ts";
import type { CommandIo } from "../../command-io.ts";
import { type Context, type JsonFlag, withExamples, withJson } from "../command.ts";

interface QuickstartFlags extends JsonFlag {
  readonly ask?: readonly string[];
  readonly keep?: true;
}

export function defineQuickstart(command: Command, context: Context): void {
  withExamples(withJson(command.argument("[file...]", "your own documents; default: three samples")), [
    ["drs quickstart", "three sample documents, three questions"],
    ['drs quickstart thesis.pdf --ask "what was measured, and how"', "your document, your question"],
    ["drs quickstart --keep", "the same, with a console in the browser until Ctrl+C"],
  ])
    .option(
      "--ask <question>",
      "what to look for in your documents; repeatable",
      (text: string, before?: readonly string[]) => [...(before ?? []), text],
    )
    .option("--keep", "keep running, with the console in the browser, until interrupted")
    .addHelpText(
      "after",
      "\nIt starts a server on a free port in a temporary folder and removes both at the end. Only the pictures are kept.",
    )
    .action(async (words: readonly string[], flags: QuickstartFlags) => {
      const { io } = context;
      const { files, questions } = splitWords(words, flags.ask ?? []);
      if (files.length > 0 && questions.length === 0)
        throw usageError("there is no question about your documents", 'add a question: --ask "…"');
      if (files.length === 0 && questions.length > 0)
        throw usageError("a question needs documents", 'name them: drs quickstart FILE… --ask "…"');
      const output = createOutput(io, flags.json === true);
      const showPicture = firstPictures(output, io);
      const startServer = (folder: string): Promise<Embedded> => serveEmbedded(folder, io);
      const answers = await runQuickstart({
        files,
        questions,
        io,
        output,
        startServer,
        onAnswer: (answer) => printAnswer(answer, output, showPicture),
        ...(flags.keep === true && { onAnswered: (up) => stayUp(up, output, io) }),
      });
      const wrong = answers.filter(({ right, pages }) => right === false || pages.length === 0);
      for (const { question } of wrong) output.note(`the right page was not first: ${question}`);
      if (wrong.length > 0) context.finish(exitCodes.failed);
      output.result({ answers }, () => nextSteps(ownCommand(io.env)));
    });
}

/** Prints how to reach the server, opens its console in the browser, and keeps it running until the user interrupts. */
async function stayUp({ drs, server, dataDir }: Up, output: Output, { signal, env }: CommandIo): Promise<void> {
  const { uri } = await drs.sessions.createCode({ signal });
  const isOpen = (await openInBrowser(uri, env)) === undefined;
  const drsHere = ownCommand(env);
  const folder = `--data-dir ${shellWord(dataDir)}`;
  for (const line of [
    "",
    `console  ${new URL("/", server.url).href}${isOpen ? " (open in the browser)" : ""}`,
    `key      ${server.credentials.apiKey}`,
    "         valid for the console and for programs while this runs",
    "in another terminal:",
    `  ${drsHere} open ${folder}`,
    `  ${drsHere} search "your question" ${folder}`,
    "Ctrl+C ends the server and removes its documents",
  ])
    output.note(line);
  if (!signal.aborted) await once(signal, "abort");
}

/** Separates files from questions: after `--` commander takes every word as an argument, even `--ask`. */
function splitWords(words: readonly string[], asked: readonly string[]): { files: string[]; questions: string[] } {
  const files: string[] = [];
  const questions = [...asked];
  const queue = words.values();
  for (const word of queue) {
    if (word !== "--ask") {
      files.push(word);
      continue;
    }
    const question = queue.next();
    if (question.done === true) throw usageError("--ask needs a question", '--ask "…"');
    questions.push(question.value);
  }
  return { files, questions };
}

async function serveEmbedded(dataDir: string, { env }: CommandIo): Promise<Embedded> {
  const [{ serve }, { readSettings }] = await Promise.all([import("@drs/server"), import("@drs/server/settings")]);
  // Only the model and the log level come from the environment: this run has stores of its own.
  const kept = { DRS_MODEL: env["DRS_MODEL"], DRS_LOG: env["DRS_LOG"] ?? "error" };
  const server = await serve(readSettings({ flags: { dataDir, host: "127.0.0.1", port: "0" }, env: kept }));
  const { credentials } = server;
  if (credentials !== undefined) return { url: server.url, credentials, close: () => server.close() };
  await server.close();
  throw new Error("the temporary server has no key");
}

async function printAnswer(
  { question, pages, picture, right }: Answer,
  output: Output,
  showPicture: (path: string) => Promise<void>,
): Promise<void> {
  output.line("");
  output.line(`? ${printable(question)}`);
  for (const { rank, score, fileName, col } of pages) {
    const mark = rank === 1 && right === true ? "✓" : rank === 1 && right === false ? "✗" : " ";
    output.line(`${mark} ${rank}.  ${score.toFixed(2)}  ${printable(fileName)}, page ${col}`);
  }
  if (pages.length === 0) output.line("  nothing found");
  if (picture === undefined) return;
  output.line(`  picture: ${picture}`);
  await showPicture(picture);
}

const maxPictures = 3;

/** Creates a function that shows the first pictures, as many as the terminal has room for. */
function firstPictures(output: Output, io: CommandIo): (path: string) => Promise<void> {
  let gallery: Promise<Gallery> | undefined;
  let shown = 0;
  return async (path) => {
    if (output.json) return;
    gallery ??= openGallery(undefined, maxPictures, io);
    const { count, draw } = await gallery;
    if (shown >= count) return;
    shown += 1;
    output.raw(await draw(() => readFile(path)));
  };
}

function nextSteps(drs: string): string[] {
  const steps = [
    ['quickstart FILE.pdf --ask "your question"', "the same with a document of yours"],
    ["upload FILE.pdf --vectorize", "permanent documents, without a server"],
    ['search "your question" --save found', "pages of them"],
    ["quickstart --keep", "the same, with its console in the browser"],
    ["serve", "a server for programs, with links that keep working"],
  ] as const;
  const width = Math.max(...steps.map(([words]) => words.length));
  return [
    "",
    "The server and its documents have been removed; the pictures are kept. What to try next:",
    ...steps.map(([words, meaning]) => `  ${drs} ${words.padEnd(width)}  ${meaning}`),
  ];
}
