import { fork } from "node:child_process";
import { getPriority, setPriority } from "node:os";
import type { Measured } from "../../metrics/relay.ts";
import type { FromWorker, StartWorker, ToWorker } from "./messages.ts";
import { awaitDeath } from "./await-death.ts";
import type { Death } from "./deaths.ts";
import { documentProcessArguments, documentProcessEnvironment } from "./environment.ts";
import { isHalted } from "./halted.ts";
import { countOomKills } from "./memory/oom-kills.ts";

/** The end of a worker process. `start`: it was not ready in time; `hung`: it did not answer any more. */
export interface WorkerEnd {
  readonly reason: Death["kind"] | "start" | "hung";
  /** For logs: "SIGSEGV", "it did not answer". */
  readonly what: string;
  /** Whether its work may have caused it. */
  readonly isFault: boolean;
}

/** One worker process. */
export interface WorkerChild {
  readonly owner: string;
  readonly isReady: boolean;
  /** Number of consecutive unanswered pings. */
  readonly misses: number;
  /** Memory in its last report. */
  readonly rssBytes: number;
  /** Resolves to true when it is ready, to false if it has ended before. */
  readonly up: Promise<boolean>;
  readonly gone: Promise<WorkerEnd>;
  /** Makes it claim no more jobs and give back the running ones; resolves when that is done, or when it has ended. */
  giveBack(): Promise<void>;
  send(message: ToWorker): void;
  kill(): void;
}

/** Time limits of a worker process; milliseconds. */
export interface WorkerPace {
  /** Maximum time until the process is ready, including a cold disk and a busy machine. */
  readonly startMs: number;
  readonly pingMs: number;
  /** The process is killed after this number of unanswered pings. */
  readonly maxMisses: number;
}

interface Options {
  /** The module that the process runs. */
  readonly entry: URL;
  readonly start: StartWorker;
  readonly pace: WorkerPace;
  /** Receives its stderr; by default that of this process does. */
  readonly logFd: number | undefined;
  readonly on: {
    ready(): void;
    message(message: Extract<FromWorker, { id: number }>): void;
    outgrown(rssBytes: number): void;
    miss(): void;
    measured(measured: Measured): void;
  };
}

/** Starts a worker process and watches it until it has ended. */
export function startWorkerChild({ entry, start, pace, logFd, on }: Options): WorkerChild {
  let oomKills = countOomKills();
  const child = fork(entry, [], {
    serialization: "advanced",
    stdio: ["ignore", "ignore", logFd ?? "inherit", "ipc"],
    env: documentProcessEnvironment(),
    execArgv: documentProcessArguments(),
  });
  yieldToCallers(child.pid);
  const send = (message: ToWorker): void => {
    if (child.connected) child.send(message, () => undefined);
  };
  let ended: WorkerEnd | undefined;
  const end = (reason: "start" | "hung", what: string): void => {
    ended ??= { reason, what, isFault: !isHalted(child.pid ?? 0) };
    // SIGKILL also ends a process that is halted.
    child.kill("SIGKILL");
  };

  let misses = 0;
  let answered = true;
  let rssBytes = 0;
  let isReady = false;
  const up = Promise.withResolvers<boolean>();
  const givenBack = Promise.withResolvers<void>();
  let pinging: NodeJS.Timeout | undefined;
  const starting = setTimeout(() => end("start", "it was not ready in time"), pace.startMs);

  function ping(): void {
    if (answered) misses = 0;
    else {
      misses += 1;
      on.miss();
      if (misses >= pace.maxMisses) return end("hung", "it did not answer");
    }
    answered = false;
    oomKills = countOomKills();
    send({ kind: "ping" });
  }

  child.on("message", (message: FromWorker) => {
    switch (message.kind) {
      case "ready":
        clearTimeout(starting);
        isReady = true;
        pinging = setInterval(ping, pace.pingMs);
        up.resolve(true);
        return on.ready();
      case "pong":
        answered = true;
        misses = 0;
        rssBytes = message.rssBytes;
        return;
      case "given-back":
        return givenBack.resolve();
      case "outgrown":
        return on.outgrown(message.rssBytes);
      case "measured":
        return on.measured(message.measured);
      default:
        return on.message(message);
    }
  });
  send(start);

  const gone = awaitDeath(child, () => countOomKills() > oomKills).then((death) => {
    clearTimeout(starting);
    clearInterval(pinging);
    isReady = false;
    rssBytes = 0;
    up.resolve(false);
    givenBack.resolve();
    return ended ?? { reason: death.kind, what: death.what, isFault: death.kind === "fault" };
  });

  return {
    owner: start.owner,
    get isReady() {
      return isReady;
    },
    get misses() {
      return misses;
    },
    get rssBytes() {
      return rssBytes;
    },
    up: up.promise,
    gone,
    giveBack() {
      send({ kind: "give-back" });
      return givenBack.promise;
    },
    send,
    kill: () => void child.kill("SIGKILL"),
  };
}

/** Jobs have a lower priority than answers to requests: they get a quarter of a processor that both need. */
const below = 5;
const lowest = 19;

function yieldToCallers(pid: number | undefined): void {
  try {
    if (pid !== undefined) setPriority(pid, Math.min(lowest, getPriority() + below));
  } catch {
    // The process has already ended, or the system has no priorities.
  }
}
