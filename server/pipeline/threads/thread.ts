import type { ComputedPage } from "../../domain/ports/features.ts";
import type { MessagePort } from "node:worker_threads";
import { workerData } from "piscina";
import { readProperties } from "../../domain/documents/properties.ts";
import { DomainError } from "../../domain/errors.ts";
import type { Highlight } from "../../domain/items/item.ts";
import type { PageFailure } from "../../domain/jobs/job.ts";
import type { SearchQuery } from "../../domain/ports/worker.ts";
import { TracedText } from "../../ranking/terms/traced-text.ts";
import type { LoadedPack } from "../../embedding/pack.ts";
import type { OpenDocument } from "../engines/engine.ts";
import { DocumentError, EngineFault, PageError } from "../errors.ts";
import { createPdfiumEngine } from "../engines/pdfium/engine.ts";
import { pdfjsEngine } from "../engines/pdfjs/engine.ts";
import { createPageReader } from "../engines/reader.ts";
import { cleanWords } from "../engines/words.ts";
import {
  instead,
  isGarbled,
  isMostlyPicture,
  isUsable,
  mayShowMore,
  withBeside,
  withRead,
} from "../../embedding/ocr/text-layer.ts";
import { withoutParts } from "../../embedding/ocr/erase.ts";
import type { PageOcr } from "../../embedding/ocr/page-ocr.ts";
import { findWords, type FoundWords } from "../../ranking/terms/find-words.ts";
import { highlightsOf } from "../highlights.ts";
import { createLoadedPacks } from "./loaded-packs.ts";
import type { PageRead, ThreadAnswer, ThreadReport, ThreadRequest, ThreadSettings, ThreadTask } from "./tasks.ts";

/** A thread closes its documents after this time without work, so that deleted files do not occupy disk space. */
const idleMs = 30_000;

const settings: ThreadSettings = workerData;
const { maxEngineBytes } = settings;
const reader = createPageReader({
  first: () => createPdfiumEngine(maxEngineBytes),
  second: pdfjsEngine,
  maxEngineBytes,
});
if (settings.warm) await reader.prepare();
const packs = createLoadedPacks({
  load: async (packDir) => (await import("../../embedding/load.ts")).loadPack(packDir),
  maxKept: 2,
  unusedMs: 120_000,
  clock: Date.now,
});
let idle: NodeJS.Timeout | undefined;

/** The entry of a thread, which runs one task at a time. It throws only for bugs; expected failures are in the answer. */
export default async function work({ task, port, cancelled }: ThreadRequest): Promise<ThreadAnswer> {
  clearTimeout(idle);
  const answer = await run(task, port, () => Atomics.load(cancelled, 0) === 1).catch(answerOf);
  if (reader.isHeavy()) {
    report(port, { last: answer });
    // Waits to be terminated, as this thread has requested.
    await new Promise(() => setInterval(() => {}, idleMs));
  }
  port.close();
  idle = setTimeout(() => void reader.close(), idleMs).unref();
  return answer;
}

function answerOf(cause: unknown): ThreadAnswer {
  if (cause instanceof DocumentError) return { kind: "document-error", fault: cause.fault, message: cause.message };
  if (cause instanceof PageError) return { kind: "page-error", page: cause.page, message: cause.message };
  if (cause instanceof DomainError) return { kind: "domain-error", error: cause.kind, message: cause.message };
  // Compared by name, because most threads never load the class.
  if (cause instanceof Error && cause.name === "PackError") {
    return { kind: "domain-error", error: "unprocessable", message: cause.message };
  }
  if (cause instanceof EngineFault) return { kind: "starved" };
  throw cause;
}

async function run(task: ThreadTask, port: MessagePort, isCancelled: () => boolean): Promise<ThreadAnswer> {
  if (isCancelled()) return { kind: "done" };
  if (task.kind !== "query" && task.kind !== "try") await reader.prepare();
  switch (task.kind) {
    case "count":
      report(port, { at: 0 });
      return { kind: "count", pages: await reader.countPages(task.file) };
    case "properties":
      report(port, { at: 0 });
      return { kind: "properties", properties: readProperties(await reader.properties(task.file)) };
    case "read":
      for (const page of task.pages) {
        report(port, { at: page });
        report(port, { read: await orFailed(page, () => read(task.file, page)) });
        if (reader.isHeavy() || isCancelled()) break;
      }
      return { kind: "done" };
    case "embed": {
      const loaded = await packs.get(task.packDir);
      await loaded.prepare("page");
      for (const { page, words } of task.pages) {
        report(port, { at: page });
        report(port, { embedded: await orFailed(page, () => embed(loaded, task.file, page, words)) });
        if (reader.isHeavy() || isCancelled()) break;
      }
      return { kind: "done" };
    }
    case "render":
      report(port, { at: task.page });
      return { kind: "bytes", bytes: await reader.use(task.file, task.page, render(task)) };
    case "highlight":
      report(port, { at: task.page });
      return { kind: "highlights", highlights: await highlight(task) };
    case "query": {
      const loaded = await packs.get(task.packDir);
      if (task.query.text !== undefined) await loaded.prepare("text");
      if (task.query.image !== undefined) await loaded.prepare("image");
      report(port, { at: 0 });
      return { kind: "query", spaces: await loaded.embedQuery(exactly(task.query)) };
    }
    case "try": {
      // No page time limit applies here, because large packs are read completely.
      const [{ verifyPack }, { tryPack }] = await Promise.all([
        import("../../embedding/files.ts"),
        import("../../embedding/self-test.ts"),
      ]);
      await verifyPack(task.packDir);
      await tryPack(await packs.get(task.packDir));
      return { kind: "done" };
    }
  }
}

async function read(file: string, page: number): Promise<PageRead> {
  return { page, ...(await reader.use(file, page, (document) => document.read(page))) };
}

async function embed(loaded: LoadedPack, file: string, page: number, words: string): Promise<ComputedPage> {
  const request = loaded.picture;
  const picture = request && (await reader.use(file, page, (document) => document.picture(page, request)));
  return { page, spaces: await loaded.embedPage({ words: await wordsForIndex(loaded, file, page, words), picture }) };
}

/**
 * Returns the words of the text layer; or those that OCR reads from the page's picture if the layer is missing or wrong; or both
 * if pictures cover much of the page. Words from OCR go into the index only.
 */
async function wordsForIndex({ ocr }: LoadedPack, file: string, page: number, words: string): Promise<string> {
  if (ocr === undefined) return words;
  const read = async (): Promise<string> =>
    cleanWords(await ocr.read(await reader.use(file, page, (document) => document.picture(page, ocr.picture))));
  if (isGarbled(words)) return instead(words, await read());
  const drawing = await reader.use(file, page, (document) => document.drawing(page));
  if (isUsable(words)) return isMostlyPicture(drawing) ? withBeside(words, await readBeside(ocr, file, page)) : words;
  return mayShowMore(words, drawing) ? withRead(words, await read()) : words;
}

/** Reads words in the picture of a page that are not in its text layer. */
async function readBeside(ocr: PageOcr, file: string, page: number): Promise<string> {
  const allOf = (text: string): Iterable<number> => Array.from({ length: text.length }, (_, unit) => unit);
  const { boxes } = await reader.use(file, page, (document) => document.characters(page, allOf));
  const picture = await reader.use(file, page, (document) => document.picture(page, ocr.picture));
  return cleanWords(await ocr.read(withoutParts(picture, boxes.values())));
}

function render({
  page,
  row,
  width,
}: Extract<ThreadTask, { kind: "render" }>): (document: OpenDocument) => Promise<Uint8Array> {
  return (document) => (row === "pdf" ? document.onePagePdf(page) : document.jpeg(page, width));
}

async function highlight({
  file,
  page,
  words,
}: Extract<ThreadTask, { kind: "highlight" }>): Promise<readonly Highlight[]> {
  let found: readonly FoundWords[] = [];
  const choose = (text: string): Iterable<number> => {
    found = findWords(cleanWords(new TracedText(text)), words);
    return found.flatMap(({ from, to }) => Array.from({ length: to - from }, (_, index) => from + index));
  };
  const { text, boxes } = await reader.use(file, page, (document) => document.characters(page, choose));
  return highlightsOf(text, found, boxes);
}

/** Converts errors of a page, and also of the document, into the page's result, because earlier pages may have been read. */
async function orFailed<Result>(page: number, work: () => Promise<Result>): Promise<Result | PageFailure> {
  try {
    return await work();
  } catch (cause) {
    const isFault = cause instanceof PageError || cause instanceof DocumentError || cause instanceof DomainError;
    if (isFault) return { page, reason: cause.message };
    throw cause;
  }
}

function report(port: MessagePort, message: ThreadReport): void {
  port.postMessage(message);
}

/** Removes properties that are `undefined` after the transfer between threads. */
function exactly({ text, image }: SearchQuery): SearchQuery {
  return { ...(text === undefined ? {} : { text }), ...(image === undefined ? {} : { image }) };
}
