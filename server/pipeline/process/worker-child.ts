import { type ChildProcess, fork } from "node:child_process";
import { getPriority, setPriority } from "node:os";
import type { Measured } from "../../metrics/relay.ts";
import type { FromWorker, StartWorker, ToWorker } from "./messages.ts";
import { awaitDeath, type Death, isHalted } from "./deaths.ts";
import { documentProcessArguments, documentProcessEnvironment } from "./environment.ts";
import { countOomKills } from "./memory/oom-kills.ts";

/** The end of a worker process. `start`: the process was not ready in time; `hung`: it stopped answering. */
export interface WorkerEnd {
  readonly reason: Death["kind"] | "start" | "hung";
  /** For logs: "SIGSEGV", "it did not answer". */
  readonly what: string;
  /** Whether its work may have caused the end. */
  readonly isFault: boolean;
}

/** One worker process, from its start to its end. */
export interface WorkerChild {
  readonly owner: string;
  /** After the end of the process it is `starting` again. */
  readonly health: "starting" | "ready" | "not answering";
  /** Memory according to the last report; 0 after the end of the process. */
  readonly rssBytes: number;
  /** Resolves to true when the process is ready, or to false if it ends before that. */
  readonly up: Promise<boolean>;
  readonly gone: Promise<WorkerEnd>;
  send(message: ToWorker): void;
  /** Makes the process claim no more jobs and give back the running ones. Resolves when that is done or the process has ended. */
  giveBack(): Promise<void>;
  /** Lets the process finish its pages and calls and exit; kills it after `graceMs`. */
  retire(graceMs: number): void;
  /** Lets the process give its jobs back and exit; kills it after `graceMs`. */
  stop(graceMs: number): void;
}

/** Time limits of a worker process, in milliseconds. */
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
  /** File descriptor that receives the stderr of the process; by default that of this process. */
  readonly logFd: number | undefined;
  readonly on: {
    ready(): void;
    message(message: Extract<FromWorker, { id: number }>): void;
    outgrown(rssBytes: number): void;
    miss(): void;
    measured(measured: Measured): void;
  };
}

/** Number of unanswered pings after which the worker counts as not answering. */
const tellingMisses = 2;

/** Starts a worker process and watches it until it has ended. */
export function startWorkerChild({ entry, start, pace, logFd, on }: Options): WorkerChild {
  let oomKills = countOomKills();
  const child = forkWorker(entry, logFd);
  const send = (message: ToWorker): void => {
    if (child.connected) child.send(message, () => undefined);
  };
  let killed: WorkerEnd | undefined;
  const kill = (reason: "start" | "hung", what: string): void => {
    killed ??= { reason, what, isFault: !isHalted(child.pid ?? 0) };
    // SIGKILL also ends a process that is halted.
    child.kill("SIGKILL");
  };

  const health = watchHealth(pace, {
    ping() {
      oomKills = countOomKills();
      send({ kind: "ping" });
    },
    miss: on.miss,
    late: () => kill("start", "it was not ready in time"),
    silent: () => kill("hung", "it did not answer"),
  });

  const up = Promise.withResolvers<boolean>();
  const givenBack = Promise.withResolvers<void>();

  child.on("message", (message: FromWorker) => {
    switch (message.kind) {
      case "ready":
        health.ready();
        up.resolve(true);
        return on.ready();
      case "pong":
        return health.answered(message.rssBytes);
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
    health.stop();
    up.resolve(false);
    givenBack.resolve();
    return killed ?? { reason: death.kind, what: death.what, isFault: death.kind === "fault" };
  });
  const endWithin = (kind: "retire" | "stop", graceMs: number): void => {
    send({ kind });
    const timer = setTimeout(() => child.kill("SIGKILL"), graceMs);
    void gone.then(() => clearTimeout(timer));
  };

  return {
    owner: start.owner,
    get health() {
      return health.current();
    },
    get rssBytes() {
      return health.rssBytes();
    },
    up: up.promise,
    gone,
    send,
    giveBack() {
      send({ kind: "give-back" });
      return givenBack.promise;
    },
    retire: (graceMs) => endWithin("retire", graceMs),
    stop: (graceMs) => endWithin("stop", graceMs),
  };
}

function forkWorker(entry: URL, logFd: number | undefined): ChildProcess {
  const child = fork(entry, [], {
    serialization: "advanced",
    stdio: ["ignore", "ignore", logFd ?? "inherit", "ipc"],
    env: documentProcessEnvironment(),
    execArgv: documentProcessArguments(),
  });
  yieldToCallers(child.pid);
  return child;
}

interface HealthWatch {
  current(): WorkerChild["health"];
  rssBytes(): number;
  ready(): void;
  answered(rssBytes: number): void;
  stop(): void;
}

/**
 * Calls `late` if a process is not ready in time. After that it pings the process regularly, and calls `silent` when the process
 * has not answered for too long.
 */
function watchHealth(
  { startMs, pingMs, maxMisses }: WorkerPace,
  on: { ping(): void; miss(): void; late(): void; silent(): void },
): HealthWatch {
  const starting = setTimeout(on.late, startMs);
  let isReady = false;
  let rssBytes = 0;
  let misses = 0;
  let answered = true;
  let timer: NodeJS.Timeout | undefined;

  function beat(): void {
    if (answered) misses = 0;
    else {
      misses += 1;
      on.miss();
      if (misses >= maxMisses) return on.silent();
    }
    answered = false;
    on.ping();
  }

  return {
    current() {
      if (!isReady) return "starting";
      return misses < tellingMisses ? "ready" : "not answering";
    },
    rssBytes: () => rssBytes,
    ready() {
      clearTimeout(starting);
      isReady = true;
      timer = setInterval(beat, pingMs);
    },
    answered(bytes) {
      answered = true;
      misses = 0;
      rssBytes = bytes;
    },
    stop() {
      clearTimeout(starting);
      clearInterval(timer);
      isReady = false;
      rssBytes = 0;
    },
  };
}

/** Jobs have a lower priority than answers to requests: they get a quarter of the processor time if both need it. */
const below = 5;
const lowest = 19;

function yieldToCallers(pid: number | undefined): void {
  try {
    if (pid !== undefined) setPriority(pid, Math.min(lowest, getPriority() + below));
  } catch {
    // The process has already ended, or the system has no priorities.
  }
}
