import { fork } from "node:child_process";
import { once } from "node:events";
import { dirname, extname } from "node:path";
import { EngineFailure } from "../converter.ts";
import { residentBytes, watchMemory } from "../process-memory.ts";
import type { FromWasm, WasmTask } from "./messages.ts";
import { wasmLoaderPath } from "./package.ts";
import { nodeOnOneProcessor } from "./pinning.ts";
import { watchStall } from "./stall.ts";

/** One process of WASM LibreOffice, ready to convert. */
export interface WasmProcess {
  /** The number of its conversions, including a running one. */
  readonly used: number;
  readonly alive: boolean;
  /** Answers `stopped` after the process was killed for too much memory or time, for a stall, or by the signal. */
  convert(task: WasmTask, limits: WasmLimits, signal: AbortSignal): Promise<WasmAnswer>;
  memory(): Promise<number>;
  /** Returns when the process is gone. */
  kill(): Promise<void>;
}

export interface WasmLimits {
  readonly timeoutMs: number;
  readonly maxRssBytes: number;
}

export type WasmAnswer =
  | Extract<FromWasm, { kind: "done" | "failed" }>
  | { readonly kind: "stopped"; readonly why: "time" | "memory" | "aborted" | "stall" };

/** Reading the package from a cold, slow disk also keeps it waiting, but for a shorter time. */
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
