import { rm } from "node:fs/promises";
import { orAborted } from "../../../domain/or-aborted.ts";
import {
  type Availability,
  type ConversionJob,
  conversionSentences,
  type Converter,
  EngineFailure,
} from "../converter.ts";
import { isWholePdf, pdfOptions } from "../pdf-file.ts";
import { wasmFolder, wasmVersion } from "./package.ts";
import { startWasmProcess, type WasmAnswer, type WasmProcess } from "./process.ts";

interface Options {
  /** Memory limit of one process; a conversion that needs more is stopped. */
  readonly maxRssBytes: number;
  /** A process that holds more after a conversion is replaced, because WASM memory never shrinks. */
  readonly recycleRssBytes?: number;
  readonly maxDocuments?: number;
  readonly startTimeoutMs?: number;
  /** A process that has been idle for this long is ended to free its memory. */
  readonly idleMs?: number;
}

/** A start takes 2 s on an idle machine; one that stalled took 4 minutes. */
const defaultStartTimeoutMs = 300_000;
/** A process starts with 1 GB. Beyond this limit, most of its memory is left over from earlier documents. */
const defaultRecycleRssBytes = 2_000 * 2 ** 20;
/** Bounds leaks that do not show in the memory of a process: temporary files, listeners, caches. */
const defaultMaxDocuments = 200;
const defaultIdleMs = 10 * 60_000;

/** Maximum tries of a document if the engine itself fails. */
const maxTries = 3;

/** Creates the converter with WASM LibreOffice, which keeps one warm process per simultaneous conversion. */
export function createWasm({
  maxRssBytes,
  recycleRssBytes = Math.min(defaultRecycleRssBytes, maxRssBytes),
  maxDocuments = defaultMaxDocuments,
  startTimeoutMs = defaultStartTimeoutMs,
  idleMs = defaultIdleMs,
}: Options): Converter {
  const pool = createWarmProcesses({ startTimeoutMs, idleMs });

  async function attempt(job: ConversionJob, signal: AbortSignal, tries: number): Promise<WasmAnswer> {
    signal.throwIfAborted();
    if (pool.isClosed()) throw new EngineFailure("wasm", "start", "it has been closed");
    if (tries > 0) await pool.endOneIdle();
    const [member, process] = await pool.take(signal);
    const { input, format, output, timeoutMs } = job;
    const task = { input, format, output, options: pdfOptions(job) };
    const answer = await process.convert(task, { timeoutMs, maxRssBytes }, signal);
    // A process whose engine has failed is not trusted with the next document.
    const isTrusted = answer.kind === "done" || (answer.kind === "failed" && answer.whose !== "engine");
    const isSpent =
      !isTrusted || !process.alive || process.used >= maxDocuments || (await process.memory()) > recycleRssBytes;
    if (isSpent) await pool.end(member);
    else pool.putBack(member);
    return answer;
  }

  function errorOf(answer: WasmAnswer, timeoutMs: number): Error {
    if (answer.kind === "done") return new EngineFailure("wasm", "crash", "it left no complete PDF");
    if (answer.kind === "failed") {
      if (answer.whose === "document") return conversionSentences.unreadable();
      if (answer.whose === "system") return new Error(`a conversion cannot read or write its files: ${answer.message}`);
      return new EngineFailure("wasm", "crash", answer.message);
    }
    if (answer.why === "memory") return conversionSentences.memory(maxRssBytes);
    if (answer.why === "time") return conversionSentences.time(timeoutMs);
    return new EngineFailure("wasm", "stall", "it stalled again and again");
  }

  return {
    name: "wasm",
    async available(): Promise<Availability> {
      const [location, version] = [wasmFolder(), wasmVersion()];
      return location === undefined || version === undefined
        ? { available: false, reason: "the package @matbee/libreoffice-converter is not installed" }
        : { available: true, version: `@matbee/libreoffice-converter ${version}`, location };
    },
    async convert(job, signal) {
      let answer = await attempt(job, signal, 0);
      // A fresh process probably does not stall, and is not affected by earlier documents.
      for (let tries = 1; tries < maxTries && isOfEngine(answer); tries += 1)
        answer = await attempt(job, signal, tries);
      if (answer.kind === "done" && (await isWholePdf(job.output))) return;
      await rm(job.output, { force: true });
      signal.throwIfAborted();
      throw errorOf(answer, job.timeoutMs);
    },
    close: () => pool.close(),
  };
}

/** A process that may still be starting. */
type Member = Promise<WasmProcess>;

interface WarmProcesses {
  isClosed(): boolean;
  /** Returns a process that is ready. If the signal fires during a start, the start continues for the next conversion. */
  take(signal: AbortSignal): Promise<[Member, WasmProcess]>;
  /** Keeps a process for the next conversion, or ends it if the pool is closed. */
  putBack(member: Member): void;
  end(member: Member): Promise<void>;
  /** Ends an idle process, if there is one. */
  endOneIdle(): Promise<void>;
  close(): Promise<void>;
}

function createWarmProcesses({ startTimeoutMs, idleMs }: { startTimeoutMs: number; idleMs: number }): WarmProcesses {
  /** Idle processes, including those that are starting. */
  const idle: Member[] = [];
  const all = new Set<Member>();
  let idleTimer: NodeJS.Timeout | undefined;
  let closed = false;

  function start(): Member {
    const starting = startWasmProcess(startTimeoutMs);
    all.add(starting);
    starting.catch(() => all.delete(starting));
    return starting;
  }

  async function end(member: Member): Promise<void> {
    all.delete(member);
    const process = await member.catch(() => undefined);
    await process?.kill();
  }

  function putBack(member: Member): void {
    if (closed) return void end(member);
    idle.push(member);
    clearTimeout(idleTimer);
    idleTimer = setTimeout(() => {
      for (const rest of idle.splice(0)) void end(rest);
    }, idleMs);
    idleTimer.unref();
  }

  return {
    isClosed: () => closed,
    putBack,
    end,
    async take(signal) {
      for (;;) {
        const member = idle.pop() ?? start();
        try {
          const process = await orAborted(member, signal);
          if (process.alive) return [member, process];
          await end(member);
        } catch (cause) {
          if (signal.aborted)
            member.then(
              () => putBack(member),
              () => undefined,
            );
          throw cause;
        }
      }
    },
    async endOneIdle() {
      const member = idle.pop();
      if (member !== undefined) await end(member);
    },
    async close() {
      closed = true;
      clearTimeout(idleTimer);
      idle.length = 0;
      await Promise.all([...all].map(end));
    },
  };
}

/** Whether the engine failed, so that another process may succeed. */
const isOfEngine = (answer: WasmAnswer): boolean =>
  (answer.kind === "failed" && answer.whose === "engine") || (answer.kind === "stopped" && answer.why === "stall");
