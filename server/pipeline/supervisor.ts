import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { extname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import type { Settings } from "../config.ts";
import type { PageWorker } from "../domain/ports/worker.ts";
import { newOwner } from "../domain/processes.ts";
import { createCalls } from "./calls.ts";
import type { FromWorker, ToWorker } from "./messages.ts";
import { documentProcessEnvironment } from "./process/environment.ts";

export interface Supervisor extends PageWorker {
  /** Lets the worker finish what it must and ends it; after the grace it is killed. */
  stop(graceMs: number): Promise<void>;
}

interface Options {
  readonly settings: Settings;
  readonly claimJobs: boolean;
  /** Ends all leases of a worker process that is dead. */
  readonly expireLeases: (owner: string) => Promise<void>;
  readonly log: Logger;
  /** Where the worker's stderr goes; undefined: to that of this process. */
  readonly logFd?: number | undefined;
}

/** The first restart comes at once; a worker that dies again and again is given more and more time. */
const firstDelayMs = 50;
const longestDelayMs = 10_000;
/** After so long without dying a worker counts as healthy again. */
const healthyAfterMs = 30_000;

/** Keeps one worker process alive, and passes calls on to it. */
export function startSupervisor({ settings, claimJobs, expireLeases, log, logFd }: Options): Supervisor {
  const calls = createCalls();
  const stopping = new AbortController();
  let child: ChildProcess | undefined;
  let ready = false;

  async function runOnce(): Promise<void> {
    const owner = newOwner();
    const path = new URL(`./worker-process${extname(import.meta.url)}`, import.meta.url);
    const worker = fork(path, [], {
      serialization: "advanced",
      stdio: ["ignore", "ignore", logFd ?? "inherit", "ipc"],
      env: documentProcessEnvironment(),
    });
    child = worker;
    const send = (message: ToWorker): void => {
      if (worker.connected) worker.send(message, () => undefined);
    };
    worker.on("message", (message: FromWorker) => {
      if (message.kind === "ready") {
        ready = true;
        calls.attach(send);
      } else calls.receive(message);
    });
    send({ kind: "start", settings, owner, claimJobs });
    const [code, signal] = await once(worker, "exit");
    ready = false;
    child = undefined;
    calls.detach();
    if (stopping.signal.aborted) return;
    log.error({ code, signal }, "the worker process died; starting another");
    // Its jobs can go on at once instead of waiting for its leases to run out.
    await expireLeases(owner);
  }

  async function keepAlive(): Promise<void> {
    let delay = firstDelayMs;
    while (!stopping.signal.aborted) {
      const startedAt = performance.now();
      await runOnce().catch((cause: unknown) => log.error({ err: cause }, "the worker process cannot be kept alive"));
      delay = performance.now() - startedAt > healthyAfterMs ? firstDelayMs : Math.min(delay * 2, longestDelayMs);
      await sleep(delay, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  }
  const keeping = keepAlive();

  const tell = (message: ToWorker): void => {
    if (child?.connected === true) child.send(message, () => undefined);
  };

  return {
    async render(page, signal) {
      await calls.call({ method: "render", page }, signal);
    },
    async embedQuery(query, signal) {
      const result = await calls.call({ method: "embedQuery", query }, signal);
      if (result.method !== "embedQuery") throw new Error("the worker answered another call");
      return result.query;
    },
    async tryPack(model, signal) {
      await calls.call({ method: "tryPack", model }, signal);
    },
    wake: () => tell({ kind: "wake" }),
    isReady: () => ready,
    async stop(graceMs) {
      stopping.abort();
      tell({ kind: "stop" });
      const kill = setTimeout(() => child?.kill("SIGKILL"), graceMs);
      await keeping;
      clearTimeout(kill);
      calls.close();
    },
  };
}
