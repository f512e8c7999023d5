import { rm } from "node:fs/promises";
import { type Availability, type Converter, EngineFailure } from "../converter.ts";
import { pdfOptions } from "../pdf-options.ts";
import { isWholePdf } from "../pdf-file.ts";
import { conversionSentences } from "../sentences.ts";
import { wasmFolder, wasmVersion } from "./package.ts";
import { startWasmProcess, type WasmProcess } from "./process.ts";

interface Options {
  /** Of one process; a conversion that needs more is stopped. */
  readonly maxRssBytes: number;
  /** A process that holds more after a conversion is replaced: WASM memory never shrinks. */
  readonly recycleRssBytes?: number;
  readonly maxDocuments?: number;
  readonly startTimeoutMs?: number;
  /** A process that has had nothing to do for so long gives its memory back. */
  readonly idleMs?: number;
}

/** A start takes from 4 s on an idle machine to 4 minutes on an overloaded one. */
const defaultStartTimeoutMs = 300_000;
/** It starts with 1 GB; beyond this, what earlier documents left is most of it. */
const defaultRecycleRssBytes = 2_000 * 2 ** 20;
/** What leaks into places that memory does not show: temporary files, listeners, caches. */
const defaultMaxDocuments = 200;
const defaultIdleMs = 10 * 60_000;

/** LibreOffice as WASM, in warm processes of its own; as many as conversions run at a time. */
export function createWasm({
  maxRssBytes,
  recycleRssBytes = Math.min(defaultRecycleRssBytes, maxRssBytes),
  maxDocuments = defaultMaxDocuments,
  startTimeoutMs = defaultStartTimeoutMs,
  idleMs = defaultIdleMs,
}: Options): Converter {
  /** Started or starting, and at work for nobody. */
  const idle: Promise<WasmProcess>[] = [];
  const all = new Set<Promise<WasmProcess>>();
  let idleTimer: NodeJS.Timeout | undefined;
  let closed = false;

  function start(): Promise<WasmProcess> {
    const starting = startWasmProcess(startTimeoutMs);
    all.add(starting);
    starting.catch(() => all.delete(starting));
    return starting;
  }

  async function end(member: Promise<WasmProcess>): Promise<void> {
    all.delete(member);
    const process = await member.catch(() => undefined);
    await process?.kill();
  }

  function putBack(member: Promise<WasmProcess>): void {
    if (closed) return void end(member);
    idle.push(member);
    clearTimeout(idleTimer);
    idleTimer = setTimeout(() => {
      for (const rest of idle.splice(0)) void end(rest);
    }, idleMs);
    idleTimer.unref();
  }

  /** A process that is ready. When the signal comes during a start, the start goes on for whoever comes next. */
  async function take(signal: AbortSignal): Promise<[Promise<WasmProcess>, WasmProcess]> {
    for (;;) {
      const member = idle.pop() ?? start();
      const gone = Promise.withResolvers<never>();
      const leave = (): void => gone.reject(signal.reason);
      signal.addEventListener("abort", leave, { once: true });
      try {
        const process = await Promise.race([member, gone.promise]);
        if (process.alive) return [member, process];
        await end(member);
      } catch (cause) {
        if (signal.aborted)
          member.then(
            () => putBack(member),
            () => undefined,
          );
        throw cause;
      } finally {
        signal.removeEventListener("abort", leave);
      }
    }
  }

  async function settle(member: Promise<WasmProcess>, process: WasmProcess, trusted: boolean): Promise<void> {
    const spent =
      !trusted || !process.alive || process.used >= maxDocuments || (await process.memory()) > recycleRssBytes;
    if (spent) await end(member);
    else putBack(member);
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
      signal.throwIfAborted();
      if (closed) throw new EngineFailure("wasm", "start", "it has been closed");
      const [member, process] = await take(signal);
      const { input, format, output, timeoutMs } = job;
      const task = { input, format, output, options: pdfOptions(job) };
      const answer = await process.convert(task, { timeoutMs, maxRssBytes }, signal);
      await settle(
        member,
        process,
        answer.kind === "done" || (answer.kind === "failed" && answer.whose === "document"),
      );
      if (answer.kind === "done" && (await isWholePdf(output))) return;
      await rm(output, { force: true });
      if (answer.kind === "stopped") {
        signal.throwIfAborted();
        throw answer.why === "time" ? conversionSentences.time(timeoutMs) : conversionSentences.memory(maxRssBytes);
      }
      if (answer.kind === "failed" && answer.whose === "document") throw conversionSentences.unreadable();
      throw new EngineFailure("wasm", "crash", answer.kind === "failed" ? answer.message : "it left no complete PDF");
    },
    async close() {
      closed = true;
      clearTimeout(idleTimer);
      idle.length = 0;
      await Promise.all([...all].map(end));
    },
  };
}
