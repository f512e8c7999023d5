import { fork, spawnSync } from "node:child_process";
import { once } from "node:events";
import { dirname, extname } from "node:path";
import { EngineFailure } from "../converter.ts";
import { residentBytes, watchMemory } from "../process-memory.ts";
import type { FromWasm, WasmTask } from "./messages.ts";
import { wasmLoaderPath } from "./package.ts";
import { readFile } from "node:fs/promises";
import { readFileSync } from "node:fs";

/** One process of WASM LibreOffice, ready to convert. */
export interface WasmProcess {
  /** The number of conversions so far, including a running one. */
  readonly used: number;
  readonly alive: boolean;
  /** Answers `stopped` if the process was killed because it took too much memory or time, it stalled, or the signal fired. */
  convert(task: WasmTask, limits: WasmLimits, signal: AbortSignal): Promise<WasmAnswer>;
  memory(): Promise<number>;
  /** Kills the process and returns when it has ended. */
  kill(): Promise<void>;
}

export interface WasmLimits {
  readonly timeoutMs: number;
  readonly maxRssBytes: number;
}

export type WasmAnswer =
  | Extract<FromWasm, { kind: "done" | "failed" }>
  | { readonly kind: "stopped"; readonly why: "time" | "memory" | "aborted" | "stall" };

/** Time without work after which a process counts as stalled. Reading the package from a cold, slow disk takes less. */
const stallMs = 8_000;
/** Maximum starts; the last one is not abandoned if it stalls. */
const maxStarts = 4;

/** Starts a process and waits until it is ready; starts another if a start stalls. Throws `EngineFailure`. */
export async function startWasmProcess(startTimeoutMs: number): Promise<WasmProcess> {
  for (let starts = 1; ; starts += 1) {
    const started = await startOnce(startTimeoutMs, starts < maxStarts);
    if (started !== "stalled") return started;
  }
}

async function startOnce(startTimeoutMs: number, giveUpStalled: boolean): Promise<WasmProcess | "stalled"> {
  const loader = wasmLoaderPath();
  if (loader === undefined) throw new EngineFailure("wasm", "start", "its package is not installed");
  const child = fork(new URL(`./child${extname(import.meta.url)}`, import.meta.url), [], {
    cwd: dirname(loader),
    // The process gets none of the server's credentials and proxies.
    env: Object.fromEntries(["PATH", "TZ"].flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : []))),
    ...nodeOnOneProcessor(),
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  let used = 0;
  let onMessage: (message: FromWasm) => void = () => undefined;
  const exited = once(child, "exit").then(
    ([code, signal]) => `it ended with ${signal ?? code}`,
    (cause: unknown) => `it cannot be started: ${String(cause)}`,
  );
  child.on("message", (message: FromWasm) => onMessage(message));
  const alive = (): boolean => child.exitCode === null && child.signalCode === null && child.connected;
  const kill = async (): Promise<void> => {
    child.kill("SIGKILL");
    await exited;
  };

  const pid = child.pid ?? 0;
  const started = Promise.withResolvers<string | undefined>();
  let stalled = false;
  onMessage = (message) => started.resolve(message.kind === "failed-start" ? message.message : undefined);
  void exited.then(started.resolve);
  const timer = setTimeout(() => started.resolve(`it was not ready after ${startTimeoutMs} ms`), startTimeoutMs);
  const unwatch = watchStall(pid, stallMs, () => {
    stalled = giveUpStalled;
    if (stalled) started.resolve("it stalled");
  });
  const failure = await started.promise;
  clearTimeout(timer);
  unwatch();
  if (failure !== undefined) {
    await kill();
    if (stalled) return "stalled";
    throw new EngineFailure("wasm", "start", failure);
  }

  return {
    get used() {
      return used;
    },
    get alive() {
      return alive();
    },
    memory: () => residentBytes(pid),
    kill,
    async convert(task, { timeoutMs, maxRssBytes }, signal) {
      used += 1;
      const answer = Promise.withResolvers<WasmAnswer>();
      onMessage = (message) => {
        if (message.kind === "done" || message.kind === "failed") answer.resolve(message);
      };
      void exited.then((message) => answer.resolve({ kind: "failed", whose: "engine", message }));
      const abort = (): void => answer.resolve({ kind: "stopped", why: "aborted" });
      signal.addEventListener("abort", abort, { once: true });
      if (signal.aborted) abort();
      const timer = setTimeout(() => answer.resolve({ kind: "stopped", why: "time" }), timeoutMs);
      const stop = (why: "memory" | "stall"): void => answer.resolve({ kind: "stopped", why });
      const unwatchMemory = watchMemory(pid, maxRssBytes, () => stop("memory"));
      const unwatchStall = watchStall(pid, stallMs, () => stop("stall"));
      if (alive()) child.send(task, () => undefined);
      try {
        const result = await answer.promise;
        if (result.kind === "stopped") await kill();
        return result;
      } finally {
        clearTimeout(timer);
        unwatchMemory();
        unwatchStall();
        signal.removeEventListener("abort", abort);
      }
    },
  };
}

/**
 * WASM LibreOffice has a race at its start: if its main thread begins to wait while another thread still reads files, every read
 * is passed to the main thread, which polls once per millisecond. A start of 2 s then takes a minute or never ends. A stalled
 * process hardly uses the processor (4 % of one was measured), whereas one that can work gets more even on a crowded machine.
 */
const stalledShare = 0.08;

/** Linux counts processor time in ticks, 100 per second on every machine (man 7 time). */
const ticksPerSecond = 100;

/**
 * Calls `onStall` when a process has hardly used the processor during a whole window; it never does on a system without /proc.
 * Returns a function that ends the watch.
 */
function watchStall(pid: number, windowMs: number, onStall: () => void): () => void {
  let last: { at: number; used: number } | undefined;
  const look = async (): Promise<void> => {
    const used = await processorSeconds(pid);
    if (used === undefined) return;
    const now = { at: performance.now(), used };
    const share = last === undefined ? 1 : ((now.used - last.used) * 1000) / (now.at - last.at);
    last = now;
    if (share < stalledShare && !ended) onStall();
  };
  let ended = false;
  const timer = setInterval(() => void look(), windowMs);
  void look();
  return () => {
    ended = true;
    clearInterval(timer);
  };
}

/**
 * Returns the processor time in seconds of all threads of a process so far; undefined if the system does not report it. Format:
 * proc_pid_stat(5).
 */
async function processorSeconds(pid: number): Promise<number | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  // The name before the last parenthesis may contain anything; the state and then numbers follow it.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const ticks = Number(fields[11]) + Number(fields[12]);
  return Number.isNaN(ticks) ? undefined : ticks / ticksPerSecond;
}

/** The command that runs a Node program, for `fork`. */
interface NodeCommand {
  readonly execPath: string;
  readonly execArgv: string[];
}

let next = 0;
let hasTaskset: boolean | undefined;

/**
 * Runs Node on one processor, a different one each time, if `taskset` (util-linux, BusyBox) is available. Threads on one
 * processor rarely run into the race described at `stalledShare` (5 of 14 starts on two processors, 0 of 8 on one). Warm
 * conversions are as fast, because they hardly keep more than one thread busy.
 */
function nodeOnOneProcessor(): NodeCommand {
  const processors = allowedProcessors();
  hasTaskset ??= processors.length > 0 && spawnSync("taskset", ["-c", processors.join(","), "true"]).status === 0;
  const processor = processors[next++ % processors.length];
  return hasTaskset && processor !== undefined
    ? { execPath: "taskset", execArgv: ["-c", String(processor), process.execPath] }
    : { execPath: process.execPath, execArgv: [] };
}

/** The processors that this process may run on; empty if the system does not report it. */
function allowedProcessors(): number[] {
  if (process.platform !== "linux") return [];
  try {
    return parseProcessors(/^Cpus_allowed_list:\s*(\S+)/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1] ?? "");
  } catch {
    return [];
  }
}

/** Parses "0-2,5" as 0, 1, 2 and 5. Exported for its test. */
export function parseProcessors(list: string): number[] {
  return list.split(",").flatMap((range) => {
    const match = /^(\d+)(?:-(\d+))?$/.exec(range);
    if (match === null) return [];
    const first = Number(match[1]);
    return Array.from({ length: Number(match[2] ?? first) - first + 1 }, (_, index) => first + index);
  });
}
