import { open, stat } from "node:fs/promises";
import type { OpenDocument, PageEngine, WrittenProperties } from "./engine.ts";
import { DocumentError, EngineFault, PageError, reasons, sentences } from "../errors.ts";

/** Reads pages of documents by file name. It keeps documents open, so that the next page of the same document is cheap. */
export interface PageReader {
  /** Starts the engine, so that its start does not count as a page's time. */
  prepare(): Promise<void>;
  /**
   * Runs `work` with an open document, in the first engine that succeeds. Throws `DocumentError` if no engine can open it,
   * `PageError` if none can do the work, and `EngineFault` if memory ran out because earlier work still holds some; a new thread
   * may then succeed.
   */
  use<Result>(file: string, page: number, work: (document: OpenDocument) => Promise<Result>): Promise<Result>;
  /** Returns the number of pages, for which it opens the document. Throws `DocumentError`. */
  countPages(file: string): Promise<number>;
  /**
   * Reads the properties that the file declares, from its XMP packet if the information dictionary has no title. Throws
   * `DocumentError`.
   */
  properties(file: string): Promise<WrittenProperties>;
  /**
   * Whether the reader holds so much memory that the thread should end: heaps never shrink, and those of broken engines remain
   * until a garbage collection, which is late because the collector sees only the few bytes of their handles.
   */
  isHeavy(): boolean;
  /** Closes all documents and drops the engine; the next use starts another. */
  close(): Promise<void>;
}

interface Options {
  /** Starts the engine that is tried first. */
  readonly first: () => Promise<PageEngine>;
  /** The engine that is tried if the first one fails. */
  readonly second: PageEngine;
  /** Bytes that `first` may use, stated in error messages. */
  readonly maxEngineBytes: number;
}

interface Entry {
  first: OpenDocument | DocumentError | undefined;
  second: OpenDocument | DocumentError | undefined;
}

/** Maximum open documents: enough for one or two jobs and the documents that users view meanwhile. */
const maxOpen = 4;
/** Memory from which on the reader is heavy; ordinary documents stay far below it. */
const heavyBytes = 256 * 2 ** 20;
/**
 * Memory of an engine with a document or two: a page that does not fit in addition to this does not fit in a new engine either.
 */
const smallHeapBytes = 64 * 2 ** 20;
/** Page number that stands for opening the document as a whole. */
const opening = 0;

export function createPageReader({ first, second, maxEngineBytes }: Options): PageReader {
  const recent = createRecentFiles();
  let engine: PageEngine | undefined;
  /** Bytes that the engine held before the current work. */
  let heldBefore = 0;
  /** Bytes of heaps that are no longer used but may not have been garbage-collected yet. */
  let goneBytes = 0;

  async function close(): Promise<void> {
    goneBytes += engine?.heldBytes() ?? 0;
    engine = undefined;
    await recent.close();
  }

  async function inFirst<Result>(file: string, work: (document: OpenDocument) => Promise<Result>): Promise<Result> {
    const entry = await recent.find(file);
    engine ??= await first();
    heldBefore = engine.heldBytes();
    entry.first ??= await remember(engine.open(file));
    if (entry.first instanceof DocumentError) throw entry.first;
    return work(entry.first);
  }

  async function inSecond<Result>(file: string, work: (document: OpenDocument) => Promise<Result>): Promise<Result> {
    const entry = await recent.find(file);
    entry.second ??= await remember(second.open(file));
    if (entry.second instanceof DocumentError) throw entry.second;
    return work(entry.second);
  }

  async function inEither<Result>(
    file: string,
    page: number,
    work: (document: OpenDocument) => Promise<Result>,
  ): Promise<Result> {
    let failure: DocumentError | PageError;
    try {
      return await inFirst(file, work);
    } catch (cause) {
      if (cause instanceof EngineFault) {
        await close();
        if (cause.kind === "memory" && heldBefore > smallHeapBytes) throw cause;
      }
      failure = asFailure(cause, page, maxEngineBytes);
      if (!worthSecondTry(cause, failure)) throw failure;
    }
    try {
      return await inSecond(file, work);
    } catch (cause) {
      // Reports the first engine's failure, because that engine distinguishes more kinds of damage.
      if (cause instanceof DocumentError || cause instanceof PageError) throw failure;
      throw cause;
    }
  }

  return {
    async prepare() {
      engine ??= await first();
    },
    use: inEither,
    countPages: (file) => inEither(file, opening, async (document) => document.pageCount),
    async properties(file) {
      const written = await inEither(file, opening, (document) => document.properties());
      if (written.title.trim() !== "" || !(await hasXmpTitle(file))) return written;
      return inSecond(file, (document) => document.properties());
    },
    isHeavy: () => goneBytes + (engine?.heldBytes() ?? 0) > heavyBytes,
    close,
  };
}

interface RecentFiles {
  find(file: string): Promise<Entry>;
  close(): Promise<void>;
}

/** Keeps the documents of recently used files open, in both engines. */
function createRecentFiles(): RecentFiles {
  /** Entries by the identity of their files, least recently used first. */
  const entries = new Map<string, Entry>();
  return {
    async find(file) {
      const { size, mtimeMs, ino } = await stat(file);
      const key = [file, size, mtimeMs, ino].join("|");
      const entry = entries.get(key) ?? { first: undefined, second: undefined };
      entries.delete(key);
      entries.set(key, entry);
      for (const [oldKey, old] of entries) {
        if (entries.size <= maxOpen) break;
        entries.delete(oldKey);
        await closeEntry(old);
      }
      return entry;
    },
    async close() {
      const closing = [...entries.values()];
      entries.clear();
      for (const entry of closing) await closeEntry(entry);
    },
  };
}

/** Returns the outcome of opening, including a failure, so that the next page need not try again. */
async function remember(opened: Promise<OpenDocument>): Promise<OpenDocument | DocumentError> {
  try {
    return await opened;
  } catch (cause) {
    if (cause instanceof DocumentError) return cause;
    throw cause;
  }
}

async function closeEntry({ first, second }: Entry): Promise<void> {
  for (const document of [first, second]) {
    if (document === undefined || document instanceof DocumentError) continue;
    await document.close().catch((cause: unknown) => {
      // A broken engine cannot close its documents; its memory is freed as a whole.
      if (!(cause instanceof EngineFault)) throw cause;
    });
  }
}

function asFailure(cause: unknown, page: number, maxEngineBytes: number): DocumentError | PageError {
  if (cause instanceof DocumentError || cause instanceof PageError) return cause;
  if (!(cause instanceof EngineFault)) throw cause;
  if (page === opening) return cause.kind === "memory" ? sentences.memory(maxEngineBytes) : sentences.crash();
  return new PageError(page, cause.kind === "memory" ? reasons.memory(maxEngineBytes) : reasons.crash, { cause });
}

/** Whether the second engine may succeed. It has no passwords either, and no memory limit that would stop a heavy page. */
function worthSecondTry(cause: unknown, failure: DocumentError | PageError): boolean {
  if (cause instanceof EngineFault) return cause.kind === "crash";
  return failure instanceof PageError
    ? failure.message !== reasons.noSize
    : ["damaged", "empty"].includes(failure.fault);
}

/** Element of the title in an XMP packet (ISO 16684-1), which is usually stored uncompressed (ISO 32000-1, 14.3.2). */
const titleElement = Buffer.from("<dc:title");

/**
 * Maximum bytes to search from the beginning of a file. Packets are near the beginning or the end, but pictures may precede them.
 */
const maxBytes = 64 * 2 ** 20;
const chunkBytes = 2 ** 20;

/**
 * Whether a file seems to have an XMP packet with a title in its first 64 MB or its last megabyte. It searches the bytes, so that
 * the engine that reads these packets need not be started for every document.
 */
async function hasXmpTitle(file: string): Promise<boolean> {
  const handle = await open(file);
  try {
    const { size } = await handle.stat();
    const chunk = Buffer.alloc(chunkBytes);
    const has = async (from: number): Promise<boolean> => {
      const { bytesRead } = await handle.read(chunk, 0, chunkBytes, from);
      return chunk.subarray(0, bytesRead).includes(titleElement);
    };
    const end = Math.min(size, maxBytes);
    for (let from = 0; from < end; from += chunkBytes - titleElement.length) if (await has(from)) return true;
    return size > end && (await has(Math.max(end, size - chunkBytes)));
  } finally {
    await handle.close();
  }
}
