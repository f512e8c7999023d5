import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { childrenOf } from "./children.ts";
import { sharedVariables } from "./shared-stores.ts";

/** A server in processes of its own, which a test may kill. */
export interface ServerProcess {
  readonly url: string;
  readonly pid: number;
  /** The process ids of the workers that live now. */
  workers(): readonly number[];
  /** SIGKILL to the API process; its worker ends by itself. */
  kill(): Promise<void>;
  /** SIGTERM; the exit code. */
  terminate(): Promise<number | null>;
}

const drs = fileURLToPath(new URL("../../cli/bin/drs.js", import.meta.url));

/** `drs serve` on a data folder and a free port, as a user would start it; `env` goes beside what this process has. */
export async function startServerProcess(
  dataDir: string,
  flags: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<ServerProcess> {
  const args = [drs, "serve", "--data-dir", dataDir, "--port", "0", "--log", "error", ...flags];
  const child: ChildProcess = spawn(process.execPath, args, {
    env: { ...process.env, ...(await sharedVariables(dataDir)), ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const { pid, stdout } = child;
  if (pid === undefined || stdout === null) throw new Error("the server did not start");
  const exited = once(child, "exit");
  const url = await Promise.race([
    listeningAddress(stdout),
    exited.then(([code]) => Promise.reject(new Error(`the server ended with ${String(code)} before it listened`))),
  ]);
  return {
    url,
    pid,
    workers: () => childrenOf(pid),
    async kill() {
      child.kill("SIGKILL");
      await exited;
    },
    async terminate() {
      child.kill("SIGTERM");
      await exited;
      return child.exitCode;
    },
  };
}

async function listeningAddress(stdout: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: stdout })) {
    const address = /^drs listening on (\S+)$/.exec(line)?.[1];
    if (address !== undefined) return address;
  }
  return new Promise(() => undefined);
}
