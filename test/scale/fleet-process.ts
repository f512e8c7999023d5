import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "../servers/free-port.ts";
import { childrenOf } from "../service/children.ts";
import { type CommandProcess, startCommand } from "../service/command.ts";

/** One of the processes that are at work on the same stores, on a data folder and a port of its own. */
export interface FleetProcess {
  readonly kind: "api" | "worker";
  readonly name: string;
  readonly dataDir: string;
  /** The address of the API, or of the worker's state; the same after each start. */
  readonly url: string;
  /** Resolves when it is at work. Throws if it ends before. `version`: variables that make it one of another version. */
  start(version?: Readonly<Record<string, string>>): Promise<void>;
  /** SIGKILL, to it and all its children or to it alone. */
  kill(what: "tree" | "parent"): Promise<void>;
  /** Stops it and all its children where they stand, until `resume`. */
  pause(): Promise<void>;
  resume(): void;
  /** SIGTERM; the exit code. */
  terminate(): Promise<number | null>;
  /** Whether it has been started and has not ended. */
  isRunning(): boolean;
  /** The stderr since its last start. */
  stderr(): string;
  /** Ends it, if it runs, and removes its folder. */
  remove(): Promise<void>;
}

export interface FleetOptions {
  readonly kind: FleetProcess["kind"];
  readonly name: string;
  /** How it finds the stores, and other settings. */
  readonly env: Readonly<Record<string, string>>;
  readonly flags?: readonly string[];
}

const startMs = 240_000;

/** `drs serve --no-worker` or `drs worker`, not yet started. */
export async function createFleetProcess(options: FleetOptions): Promise<FleetProcess> {
  const { kind, name, env, flags = [] } = options;
  const dataDir = await mkdtemp(join(tmpdir(), `drs-${name}-`));
  const port = await freePort();
  const words =
    kind === "api"
      ? ["serve", "--no-worker", "--port", String(port)]
      : ["worker", "--workers", "1", "--health-port", String(port)];
  const sign = kind === "api" ? /^drs listening on /m : /^drs worker ready$/m;
  let command: CommandProcess | undefined;
  let hasEnded = true;
  let paused: readonly number[] = [];

  const fleetProcess: FleetProcess = {
    kind,
    name,
    dataDir,
    url: `http://127.0.0.1:${port}`,
    async start(version = {}) {
      const started = startCommand([...words, "--data-dir", dataDir, "--log", "warn", ...flags], {
        ...env,
        ...version,
      });
      command = started;
      hasEnded = false;
      void started.outcome.then(() => (hasEnded = command === started ? true : hasEnded));
      for (const until = performance.now() + startMs; !sign.test(started.stdout()); await sleep(50)) {
        if (hasEnded || performance.now() > until) {
          throw new Error(`${name} ${hasEnded ? "ended before it was" : "is not"} at work: ${started.stderr()}`);
        }
      }
    },
    async kill(what) {
      if (command === undefined) return;
      const pids = what === "tree" ? await stopTree(command.pid) : [command.pid];
      for (const pid of pids) signal(pid, "SIGKILL");
      await ended(command);
    },
    async pause() {
      paused = command === undefined ? [] : await stopTree(command.pid);
    },
    resume() {
      for (const pid of paused) signal(pid, "SIGCONT");
      paused = [];
    },
    async terminate() {
      if (command === undefined) return null;
      command.kill("SIGTERM");
      return (await command.outcome).code;
    },
    isRunning: () => !hasEnded,
    stderr: () => command?.stderr() ?? "",
    async remove() {
      fleetProcess.resume();
      if (!hasEnded) await fleetProcess.kill("tree");
      await rm(dataDir, { recursive: true, force: true });
    },
  };

  /** Its pipes may be held by a child that outlives it for a moment, so the end of its process is what counts. */
  async function ended(one: CommandProcess): Promise<void> {
    const gone = async (): Promise<void> => {
      while (isThere(one.pid)) await sleep(20);
    };
    await Promise.race([one.outcome, gone()]);
    hasEnded = true;
  }

  return fleetProcess;
}

/** SIGSTOP from the top downwards, so that nothing is started meanwhile; all that were stopped. */
async function stopTree(pid: number): Promise<readonly number[]> {
  signal(pid, "SIGSTOP");
  // Until it has been delivered the process may start another child.
  await sleep(20);
  const below: number[] = [];
  for (const child of childrenOf(pid)) below.push(...(await stopTree(child)));
  return [pid, ...below];
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended.
  }
}

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
