import { extname } from "node:path";
import { MessageChannel, type MessagePort, receiveMessageOnPort, type Transferable } from "node:worker_threads";
import { Piscina } from "piscina";
import { turnTelemetryOff } from "../../embedding/onnxruntime.ts";
import { createSlots } from "./slots.ts";
import type { ThreadAnswer, ThreadReport, ThreadRequest, ThreadSettings, ThreadTask } from "./tasks.ts";

/** The outcome of a task that its thread did not finish. */
export interface Stopped {
  readonly kind: "stopped";
  /** `crash`: the thread died by itself. */
  readonly why: "time" | "memory" | "crash";
  /** The page begun last, or 0 for the document itself; undefined if the thread had not begun. */
  readonly at: number | undefined;
  readonly cause?: unknown;
}

export interface TaskOptions {
  /**
   * Cancels the run, which rejects with the signal's reason once the thread has finished its page or, after a while, was
   * terminated.
   */
  readonly signal: AbortSignal | undefined;
  /** Terminates the thread, because the process has grown too large. */
  readonly stop: AbortSignal;
  /** Time limit of each page, and of opening a document. */
  readonly pageTimeoutMs: number;
  /** Called in order; its errors end the task and are rethrown. */
  readonly onReport?: (report: ThreadReport) => void | Promise<void>;
}

/** Threads that open documents. */
export interface Threads {
  run(task: ThreadTask, options: TaskOptions): Promise<ThreadAnswer | Stopped>;
  /** Terminates all threads and their tasks, so that their memory is freed. */
  restart(): Promise<void>;
  /**
   * Lets a task that is cancelled from now on finish its page, within the page's time limit, instead of ending after a second.
   */
  finishPages(): void;
  /** Sends new tasks to new threads; the old threads end with their current tasks. */
  renew(): Promise<void>;
  close(): Promise<void>;
}

/** Heap limit of a thread's JavaScript. Most memory of a page is outside the heap, where the process watches it. */
const maxHeapMb = 512;
/**
 * Young heap limit of a thread's JavaScript. V8's default grows with the machine's memory (192 MB per thread with 24 GB) and
 * fills up; smaller limits made pages no slower.
 */
const maxYoungHeapMb = 24;
/** Time for a cancelled task to end, because terminating a thread in the middle of a graph may abort the whole process. */
const graceMs = 1_000;
/** A thread ends after this time without work, and frees the memory of its documents. */
const idleTimeoutMs = 60_000;

export function createThreads(count: number, settings: ThreadSettings): Threads {
  turnTelemetryOff();
  const start = (): Piscina<ThreadRequest, ThreadAnswer> =>
    new Piscina({
      filename: new URL(`./thread${extname(import.meta.url)}`, import.meta.url).href,
      // One thread stays alive if a caller may wait for it.
      minThreads: settings.warm ? 1 : 0,
      maxThreads: count,
      idleTimeout: idleTimeoutMs,
      // With atomics an idle thread sleeps in Atomics.wait, which stops its timers.
      atomics: "disabled",
      resourceLimits: { maxOldGenerationSizeMb: maxHeapMb, maxYoungGenerationSizeMb: maxYoungHeapMb },
      workerData: settings,
    });
  let piscina = start();
  /** Tasks of the current threads. */
  let tasks = new Set<Promise<unknown>>();
  // The slots keep Piscina's queue empty, because it starts no thread for queued tasks after it has terminated one.
  const slots = createSlots(count);
  const onThread: OnThread = (request, { signal, transferList }) =>
    slots.run(() => {
      const mine = tasks;
      const task = piscina.run(request, { signal, transferList });
      mine.add(task);
      return task.finally(() => mine.delete(task));
    }, signal);
  const replace = (): { threads: typeof piscina; tasks: typeof tasks } => {
    const old = { threads: piscina, tasks };
    piscina = start();
    tasks = new Set();
    return old;
  };

  let isFinishing = false;

  return {
    run(task, options) {
      // A query ends soon by itself, and terminating it in the middle of a graph could crash the process.
      const isPatient = (): boolean => isFinishing || task.kind === "query";
      return runTask(onThread, task, options, () => (isPatient() ? options.pageTimeoutMs : graceMs));
    },
    finishPages: () => void (isFinishing = true),
    restart: () => replace().threads.destroy(),
    async renew() {
      const old = replace();
      await Promise.allSettled(old.tasks);
      await old.threads.destroy();
    },
    close: () => piscina.destroy(),
  };
}

/** Runs a task on a thread as soon as one is free. */
type OnThread = (
  request: ThreadRequest,
  options: { signal: AbortSignal; transferList: Transferable[] },
) => Promise<ThreadAnswer>;

async function runTask(
  onThread: OnThread,
  task: ThreadTask,
  { signal, stop, pageTimeoutMs, onReport }: TaskOptions,
  /** Time for the task to end once it is cancelled. */
  cancelMs: () => number,
): Promise<ThreadAnswer | Stopped> {
  signal?.throwIfAborted();
  const { port1: port, port2 } = new MessageChannel();
  const end = new AbortController();
  let why: Stopped["why"] | undefined;
  let at: number | undefined;
  let last: ThreadAnswer | undefined;
  let timer: NodeJS.Timeout | undefined;
  let ending: NodeJS.Timeout | undefined;
  const cancelled = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  let handled: Promise<void> = Promise.resolve();

  const cancel = (): void => {
    Atomics.store(cancelled, 0, 1);
    ending ??= setTimeout(() => end.abort(), cancelMs());
  };
  const outgrown = (): void => {
    why ??= "memory";
    end.abort();
  };
  const take = (report: ThreadReport): void => {
    clearTimeout(timer);
    timer = undefined;
    if ("last" in report) {
      last = report.last;
      end.abort();
      return;
    }
    if ("at" in report) {
      at = report.at;
      timer = setTimeout(late, pageTimeoutMs);
    }
    handled = handled.then(() => onReport?.(report));
    // A rejection is thrown below, where `handled` is awaited; the task is cancelled now, so that the thread stops.
    handled.catch(cancel);
  };
  const late = (): void => {
    const before = timer;
    // The main thread may have been too busy to read the report that the page is done.
    drain(port, take);
    if (timer !== before) return;
    why ??= "time";
    end.abort();
  };

  port.on("message", take);
  signal?.addEventListener("abort", cancel);
  stop.addEventListener("abort", outgrown);
  if (stop.aborted) outgrown();
  try {
    const answer = await onThread({ task, port: port2, cancelled }, { transferList: [port2], signal: end.signal });
    drain(port, take);
    await handled;
    signal?.throwIfAborted();
    return conclude(answer, at);
  } catch (cause) {
    drain(port, take);
    await handled;
    signal?.throwIfAborted();
    if (last !== undefined) return conclude(last, at);
    return { kind: "stopped", why: why ?? crashKind(cause), at, cause };
  } finally {
    clearTimeout(timer);
    clearTimeout(ending);
    signal?.removeEventListener("abort", cancel);
    stop.removeEventListener("abort", outgrown);
    port.close();
  }
}

function conclude(answer: ThreadAnswer, at: number | undefined): ThreadAnswer | Stopped {
  return answer.kind === "starved" ? { kind: "stopped", why: "memory", at } : answer;
}

function drain(port: MessagePort, take: (report: ThreadReport) => void): void {
  for (let next = receiveMessageOnPort(port); next !== undefined; next = receiveMessageOnPort(port)) take(next.message);
}

/** Whether the thread outgrew the limit of its own heap. */
function crashKind(cause: unknown): "memory" | "crash" {
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  return code === "ERR_WORKER_OUT_OF_MEMORY" ? "memory" : "crash";
}
