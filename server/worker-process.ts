import type { Logger } from "pino";
import type { SpanFacts, Tracing } from "./domain/ports/tracing.ts";
import { DomainError } from "./domain/errors.ts";
import { refusalOf, storageFaultOf } from "./domain/storage-fault.ts";
import { createLog } from "./logging/log.ts";
import { createRelay } from "./metrics/relay.ts";
import { timeStores } from "./metrics/timed-stores.ts";
import { startTracing, traceBlobs } from "./tracing/start.ts";
import { closeStores, openStores, warnOfGivenUp } from "./stores.ts";
import type {
  CallFailure,
  FromWorker,
  StartWorker,
  ToWorker,
  WorkerCall,
  WorkerResult,
} from "./pipeline/process/messages.ts";
import { openOwnTemporaryFolder } from "./pipeline/convert/scratch.ts";
import { watchOwnMemory } from "./pipeline/process/memory/watch.ts";
import { startWorker, type Worker } from "./worker.ts";

/**
 * The child process that opens documents for its supervisor. It ends when the channel to the supervisor closes, so that no
 * orphan keeps working.
 */
function main(): void {
  // Files made here, also by libraries and converters, are readable only by their owner.
  process.umask(0o077);
  let stop: (() => Promise<void>) | undefined;
  let worker: Worker | undefined;
  let answers: ReturnType<typeof createAnswers> | undefined;
  let retiring: Promise<void> | undefined;
  let starting: Promise<void> | undefined;
  let givingBack: Promise<void> | undefined;
  let ending: Promise<void> | undefined;

  process.on("message", (message: ToWorker) => {
    switch (message.kind) {
      case "start":
        starting = start(message).catch((cause: unknown) => {
          createLog("error", "worker").error({ err: cause }, "the worker process could not start");
          process.exit(1);
        });
        break;
      case "call":
        answers?.begin(message.id, message.call);
        break;
      case "ping":
        say({ kind: "pong", rssBytes: process.memoryUsage.rss() });
        break;
      case "abort":
        answers?.abort(message.id);
        break;
      case "wake":
        worker?.wake();
        break;
      case "give-back":
        givingBack ??= giveBack();
        break;
      case "stop":
        ending ??= end();
        break;
      case "retire":
        retiring ??= retire();
        break;
    }
  });
  process.on("disconnect", () => process.exit(1));
  // The parent decides when to stop; a signal to the whole process group must not interfere.
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => undefined);

  async function start(message: StartWorker): Promise<void> {
    const started = await startWork(message);
    ({ worker, stop } = started);
    answers = createAnswers(started);
    say({ kind: "ready" });
  }

  async function giveBack(): Promise<void> {
    // A worker that is still starting would otherwise claim jobs once it is up.
    await starting;
    await worker?.giveBack();
    say({ kind: "given-back" });
  }

  async function retire(): Promise<void> {
    await worker?.giveBack();
    // New calls go to the successor; earlier ones are answered here.
    await answers?.ended();
    ending ??= end();
  }

  async function end(): Promise<void> {
    await stop?.();
    await said;
    process.exit(0);
  }
}

interface StartedWork {
  readonly worker: Worker;
  readonly tracing: Tracing;
  readonly stop: () => Promise<void>;
}

async function startWork(message: StartWorker): Promise<StartedWork> {
  const { settings, owner, claimJobs, sweepTemporary, memoryPace } = message;
  const log: Logger = createLog(settings.log, "worker");
  const temporary = await openOwnTemporaryFolder();
  const meter = createRelay((measured) => say({ kind: "measured", measured }));
  const { tracing, close: closeTracing } = await startTracing({ role: "worker", log });
  const timed = timeStores(
    await openStores(settings, { sweepTemporary, writesOnly: true, onIndexGivenUp: warnOfGivenUp(log) }),
    meter,
  );
  const stores = { ...timed, blobs: traceBlobs(timed.blobs, tracing) };
  const worker = await startWorker(stores, settings, { owner, claimJobs, log, meter, tracing });
  const unwatch = watchOwnMemory({
    ...memoryPace,
    maxBytes: settings.workerMemoryBytes,
    renew: () => worker.renewThreads(),
    onOutgrown: (rssBytes) => say({ kind: "outgrown", rssBytes }),
  });
  return {
    worker,
    tracing,
    async stop() {
      unwatch();
      await worker.stop();
      await closeStores(stores);
      await temporary.close();
      await closeTracing();
      meter.close();
    },
  };
}

/** Answers the calls of the supervisor. */
function createAnswers({ worker, tracing }: Pick<StartedWork, "worker" | "tracing">) {
  const calls = new Map<number, AbortController>();
  const answering = new Set<Promise<void>>();

  async function answer(id: number, call: WorkerCall): Promise<void> {
    const controller = new AbortController();
    calls.set(id, controller);
    try {
      say({ kind: "result", id, result: await inTrace(tracing, call, () => run(worker, call, controller.signal)) });
    } catch (cause) {
      say({ kind: "failure", id, failure: failureOf(cause) });
    } finally {
      calls.delete(id);
    }
  }

  return {
    begin(id: number, call: WorkerCall): void {
      const answered = answer(id, call);
      answering.add(answered);
      void answered.finally(() => answering.delete(answered));
    },
    abort: (id: number): void => calls.get(id)?.abort(new Error("the caller has gone away")),
    ended: (): Promise<unknown> => Promise.all(answering),
  };
}

/** Continues the caller's trace, if there is one. */
function inTrace<Result>(tracing: Tracing, call: WorkerCall, work: () => Promise<Result>): Promise<Result> {
  const { traceparent = null } = call;
  return traceparent === null ? work() : tracing.goOn(traceparent, `worker ${call.method}`, factsOf(call), work);
}

function factsOf(call: WorkerCall): SpanFacts {
  switch (call.method) {
    case "render":
      return call.page;
    case "highlight":
      return { datasetId: call.page.datasetId, page: call.page.page };
    case "embedQuery":
      return { pack: call.query.pack };
    case "tryPack":
      return {};
  }
}

async function run(worker: Worker, call: WorkerCall, signal: AbortSignal): Promise<WorkerResult> {
  if (call.method === "embedQuery") {
    return { method: "embedQuery", query: await worker.embedQuery(call.query, signal) };
  }
  if (call.method === "highlight") {
    return { method: "highlight", highlights: await worker.highlight(call.page, signal) };
  }
  if (call.method === "tryPack") await worker.tryPack(call.model, signal);
  else await worker.render(call.page, { signal, isSuspect: call.isSuspect });
  return { method: call.method };
}

function failureOf(cause: unknown): CallFailure {
  if (cause instanceof DomainError) return { kind: cause.kind, message: cause.message };
  const fault = storageFaultOf(cause);
  if (fault !== undefined) {
    const { kind, message } = refusalOf(fault, cause);
    return { kind, message };
  }
  return { kind: undefined, message: cause instanceof Error ? (cause.stack ?? cause.message) : String(cause) };
}

/** Resolves when the last message has been sent. */
let said = Promise.resolve();

function say(message: FromWorker): void {
  if (!process.connected) return;
  said = new Promise((resolve) => process.send?.(message, () => resolve()));
}

main();
