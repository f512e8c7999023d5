import type { Logger } from "pino";
import { noTracing, type SpanFacts, type Tracing } from "./domain/ports/tracing.ts";
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
  let tracing = noTracing;
  const calls = new Map<number, AbortController>();
  let retiring: Promise<void> | undefined;
  let starting: Promise<void> | undefined;
  let givingBack: Promise<void> | undefined;
  let ending: Promise<void> | undefined;
  const answering = new Set<Promise<void>>();

  process.on("message", (message: ToWorker) => {
    switch (message.kind) {
      case "start":
        starting = start(message).catch((cause: unknown) => {
          createLog("error", "worker").error({ err: cause }, "the worker process could not start");
          process.exit(1);
        });
        break;
      case "call":
        if (worker !== undefined) track(answer(worker, message.id, message.call));
        break;
      case "ping":
        say({ kind: "pong", rssBytes: process.memoryUsage.rss() });
        break;
      case "abort":
        calls.get(message.id)?.abort(new Error("the caller has gone away"));
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

  async function start({ settings, owner, claimJobs, sweepTemporary, memoryPace }: StartWorker): Promise<void> {
    const log: Logger = createLog(settings.log, "worker");
    const temporary = await openOwnTemporaryFolder();
    const meter = createRelay((measured) => say({ kind: "measured", measured }));
    const spans = await startTracing({ role: "worker", log });
    tracing = spans.tracing;
    const timed = timeStores(
      await openStores(settings, { sweepTemporary, writesOnly: true, onIndexGivenUp: warnOfGivenUp(log) }),
      meter,
    );
    const stores = { ...timed, blobs: traceBlobs(timed.blobs, tracing) };
    const started = await startWorker(stores, settings, { owner, claimJobs, log, meter, tracing });
    worker = started;
    const unwatch = watchOwnMemory({
      ...memoryPace,
      maxBytes: settings.workerMemoryBytes,
      renew: () => started.renewThreads(),
      onOutgrown: (rssBytes) => say({ kind: "outgrown", rssBytes }),
    });
    stop = async () => {
      unwatch();
      await started.stop();
      await closeStores(stores);
      await temporary.close();
      await spans.close();
      meter.close();
    };
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
    await Promise.all(answering);
    ending ??= end();
  }

  async function end(): Promise<void> {
    await stop?.();
    await said;
    process.exit(0);
  }

  function track(answer: Promise<void>): void {
    answering.add(answer);
    void answer.finally(() => answering.delete(answer));
  }

  async function answer(to: Worker, id: number, call: WorkerCall): Promise<void> {
    const controller = new AbortController();
    calls.set(id, controller);
    try {
      say({ kind: "result", id, result: await inTrace(tracing, call, () => run(to, call, controller.signal)) });
    } catch (cause) {
      say({ kind: "failure", id, failure: failureOf(cause) });
    } finally {
      calls.delete(id);
    }
  }
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
