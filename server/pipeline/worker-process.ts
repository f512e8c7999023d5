import type { Logger } from "pino";
import { DomainError } from "../domain/errors.ts";
import { createLog } from "../log.ts";
import { closeStores, openStores } from "../stores.ts";
import type { CallFailure, FromWorker, ToWorker, WorkerCall, WorkerResult } from "./messages.ts";
import { openOwnTemporaryFolder } from "./own-temporary-folder.ts";
import { startWorker, type Worker } from "./worker.ts";

/**
 * The child process that opens documents on behalf of the API process. It lives as long as its parent: when the
 * channel closes it ends, so that no orphan goes on working.
 */
function main(): void {
  // What is made here, also by libraries and by converters, is for its owner only.
  process.umask(0o077);
  let stop: (() => Promise<void>) | undefined;
  let worker: Worker | undefined;
  const calls = new Map<number, AbortController>();

  process.on("message", (message: ToWorker) => {
    switch (message.kind) {
      case "start":
        start(message).catch((cause: unknown) => {
          createLog("error", "worker").error({ err: cause }, "the worker process could not start");
          process.exit(1);
        });
        break;
      case "call":
        if (worker !== undefined) void answer(worker, message.id, message.call);
        break;
      case "abort":
        calls.get(message.id)?.abort(new Error("the caller has gone away"));
        break;
      case "wake":
        worker?.wake();
        break;
      case "stop":
        void end();
        break;
    }
  });
  process.on("disconnect", () => process.exit(1));
  // The parent decides when to stop; a signal to the whole process group must not race it.
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => undefined);

  async function start({ settings, owner, claimJobs }: Extract<ToWorker, { kind: "start" }>): Promise<void> {
    const log: Logger = createLog(settings.log, "worker");
    const temporary = await openOwnTemporaryFolder();
    // An earlier worker may have died while it wrote.
    const stores = await openStores(settings, { sweepTemporary: true, writesOnly: true });
    const started = await startWorker(stores, settings, { owner, claimJobs, log });
    worker = started;
    stop = async () => {
      await started.stop();
      await closeStores(stores);
      await temporary.close();
    };
    say({ kind: "ready" });
  }

  async function end(): Promise<void> {
    await stop?.();
    process.exit(0);
  }

  async function answer(to: Worker, id: number, call: WorkerCall): Promise<void> {
    const controller = new AbortController();
    calls.set(id, controller);
    try {
      say({ kind: "result", id, result: await perform(to, call, controller.signal) });
    } catch (cause) {
      say({ kind: "failure", id, failure: failureOf(cause) });
    } finally {
      calls.delete(id);
    }
  }
}

async function perform(worker: Worker, call: WorkerCall, signal: AbortSignal): Promise<WorkerResult> {
  if (call.method === "embedQuery") {
    return { method: "embedQuery", query: await worker.embedQuery(call.query, signal) };
  }
  if (call.method === "tryPack") await worker.tryPack(call.model, signal);
  else await worker.render(call.page, signal);
  return { method: call.method };
}

function failureOf(cause: unknown): CallFailure {
  if (cause instanceof DomainError) return { kind: cause.kind, message: cause.message };
  return { kind: undefined, message: cause instanceof Error ? (cause.stack ?? cause.message) : String(cause) };
}

function say(message: FromWorker): void {
  if (process.connected) process.send?.(message);
}

main();
