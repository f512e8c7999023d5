import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const drs = fileURLToPath(new URL("../../../../cli/bin/drs.js", import.meta.url));

/** A server and its worker in a group of their own, which may die at any moment. */
export interface MortalServer {
  /** Undefined if it died before it listened. */
  readonly url: string | undefined;
  /** SIGTERM, and until it has ended. */
  terminate(): Promise<void>;
  /** SIGKILL for the whole group. */
  kill(): Promise<void>;
}

export async function startMortalServer(dataDir: string, env: Readonly<Record<string, string>>): Promise<MortalServer> {
  const args = [drs, "serve", "--data-dir", dataDir, "--port", "0", "--log", "error"];
  const child: ChildProcess = spawn(process.execPath, args, {
    detached: true,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const { pid, stdout } = child;
  if (pid === undefined || stdout === null) throw new Error("the server did not start");
  const exited = once(child, "exit");
  const url = await Promise.race([listeningAddress(stdout), exited.then(() => undefined)]);
  return {
    url,
    async terminate() {
      child.kill("SIGTERM");
      await exited;
    },
    async kill() {
      try {
        process.kill(-pid, "SIGKILL");
      } catch {
        // All of it is dead already.
      }
      await exited;
    },
  };
}

async function listeningAddress(stdout: NodeJS.ReadableStream): Promise<string | undefined> {
  for await (const line of createInterface({ input: stdout })) {
    const address = /^drs listening on (\S+)$/.exec(line)?.[1];
    if (address !== undefined) return address;
  }
  return undefined;
}
