import { fork } from "node:child_process";
import { watchMemory } from "../../convert/process-memory.ts";
import { awaitDeath, type Death, isHalted } from "../deaths.ts";
import { documentProcessArguments, documentProcessEnvironment } from "../environment.ts";
import type { Failure } from "../failures.ts";
import { countOomKills } from "../memory/oom-kills.ts";
import type { FromTrial, ToTrial, TrialLimits, TrialResult, TrialTask } from "./messages.ts";

/** The way in which a task in a trial process ended. */
export type TrialEnd =
  | { readonly kind: "result"; readonly result: TrialResult }
  | { readonly kind: "failure"; readonly failure: Failure }
  /** The parent killed the process, because the page took too long or too much memory. */
  | { readonly kind: "stopped"; readonly why: "time" | "memory" }
  /** The process died; `begun` is whether it had begun the task. */
  | { readonly kind: "died"; readonly death: Death; readonly begun: boolean; readonly stderr: string };

/** One trial process. */
export interface TrialChild {
  readonly pid: number;
  /** The number of tasks given to the process so far. */
  readonly used: number;
  readonly alive: boolean;
  /** Runs one task at a time. Throws the signal's reason after it has killed the process. */
  run(task: TrialTask, signal: AbortSignal): Promise<TrialEnd>;
  /** Kills the process and resolves when it has ended. */
  kill(): Promise<void>;
}

interface TrialChildOptions {
  readonly entry: URL;
  readonly limits: TrialLimits;
  /** Time for the start of the process, and again for loading engine and pack before a page's own time. */
  readonly startTimeoutMs: number;
}

/**
 * The pool in the process stops work that exceeds the memory limit. It cannot stop native code, which is killed with the process
 * if it exceeds the limit by this much.
 */
const excessShare = 1.25;
const excessBytes = 256 * 2 ** 20;
/** Number of characters that are kept from the end of a process's stderr. */
const maxStderr = 4_000;

/** Starts a trial process; if that fails, its first task ends as a death before it began. */
export function startTrialChild({ entry, limits, startTimeoutMs }: TrialChildOptions): TrialChild {
  let oomKillsBefore = countOomKills();
  const child = fork(entry, [], {
    serialization: "advanced",
    stdio: ["ignore", "ignore", "pipe", "ipc"],
    env: documentProcessEnvironment(),
    execArgv: documentProcessArguments(),
  });
  let stderr = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (stderr = (stderr + text).slice(-maxStderr)));
  const gone = awaitDeath(child, () => countOomKills() > oomKillsBefore);
  const ready = Promise.withResolvers<void>();
  let onMessage: (message: FromTrial) => void = () => undefined;
  child.on("message", (message: FromTrial) => {
    if (message.kind === "ready") ready.resolve();
    else onMessage(message);
  });
  const send = (message: ToTrial): void => {
    if (child.connected) child.send(message, () => undefined);
  };
  send({ kind: "start", limits });

  const pid = child.pid ?? 0;
  let used = 0;
  const kill = async (): Promise<void> => {
    child.kill("SIGKILL");
    await gone;
  };

  return {
    pid,
    get used() {
      return used;
    },
    get alive() {
      return child.exitCode === null && child.signalCode === null && child.connected;
    },
    kill,
    async run(task, signal) {
      signal.throwIfAborted();
      const id = ++used;
      oomKillsBefore = countOomKills();
      let begun = false;
      const end = Promise.withResolvers<TrialEnd>();
      onMessage = (message) => {
        if (message.kind === "ready" || message.id !== id) return;
        if (message.kind === "begun") {
          begun = true;
          // Twice, because the pool retries a page that may have run short of memory because of an earlier one.
          startTimer(startTimeoutMs + 2 * limits.pageTimeoutMs);
        } else if (message.kind === "result") end.resolve({ kind: "result", result: message.result });
        else end.resolve({ kind: "failure", failure: message.failure });
      };
      let timer: NodeJS.Timeout | undefined;
      const startTimer = (ms: number): void => {
        clearTimeout(timer);
        timer = setTimeout(() => end.resolve(overdue(pid, begun)), ms);
      };
      void gone.then((death) => end.resolve({ kind: "died", death, begun, stderr }));
      startTimer(startTimeoutMs);
      const maxBytes = limits.maxRssBytes * excessShare + excessBytes;
      const unwatch = watchMemory(pid, maxBytes, () => end.resolve({ kind: "stopped", why: "memory" }));
      const abort = (): void => end.reject(signal.reason);
      signal.addEventListener("abort", abort, { once: true });
      void ready.promise.then(() => send({ kind: "task", id, task }));
      try {
        const result = await end.promise;
        if (result.kind === "stopped" || result.kind === "died") await kill();
        return result;
      } catch (cause) {
        await kill();
        throw cause;
      } finally {
        clearTimeout(timer);
        unwatch();
        signal.removeEventListener("abort", abort);
      }
    },
  };
}

/** Returns the end of an overdue task. If the process was halted from outside, it is not to blame. */
function overdue(pid: number, begun: boolean): TrialEnd {
  if (begun && !isHalted(pid)) return { kind: "stopped", why: "time" };
  return { kind: "died", death: { kind: "killed", what: "it did not answer" }, begun, stderr: "" };
}
