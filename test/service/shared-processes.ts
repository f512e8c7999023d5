import { randomUUID } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createDrs, type Drs } from "@drs/client";
import { type CommandProcess, startCommand } from "./command.ts";
import { type ServerProcess, startServerProcess } from "./process.ts";
import { sharedCredentials, sharedVariables } from "./shared-stores.ts";

/** A server process with a data folder of its own. */
export interface SharedServer extends ServerProcess {
  readonly dataDir: string;
  /** The key in its data folder, if it has one. */
  apiKey(): Promise<string | undefined>;
}

/** Processes on the same stores, each with a data folder of its own; all are ended together. */
export interface Processes {
  serve(flags?: readonly string[]): Promise<SharedServer>;
  work(flags?: readonly string[]): Promise<CommandProcess>;
  close(): Promise<void>;
}

export async function startProcesses(): Promise<Processes> {
  const folders: string[] = [];
  const servers = new Set<SharedServer>();
  const workers = new Set<CommandProcess>();
  const env = await sharedVariables(randomUUID());
  const access = sharedCredentials();
  const newFolder = async (): Promise<string> => {
    const folder = await mkdtemp(join(tmpdir(), "drs-shared-"));
    folders.push(folder);
    return folder;
  };
  return {
    async serve(flags = []) {
      const dataDir = await newFolder();
      const running = await startServerProcess(dataDir, flags, env);
      const apiKey = async (): Promise<string | undefined> => {
        const text = await readFile(join(dataDir, "credentials.json"), "utf8").catch(() => undefined);
        return text === undefined ? undefined : (JSON.parse(text) as { apiKey: string }).apiKey;
      };
      const server = { ...running, dataDir, apiKey };
      servers.add(server);
      return server;
    },
    async work(flags = []) {
      const dataDir = await newFolder();
      const words = ["worker", "--data-dir", dataDir, "--workers", "1", "--log", "info", ...flags];
      const worker = startCommand(words, { ...env, ...access });
      workers.add(worker);
      return worker;
    },
    async close() {
      for (const worker of workers) worker.kill("SIGKILL");
      await Promise.all(Array.from(workers, (worker) => worker.outcome));
      await Promise.all(Array.from(servers, (server) => server.terminate()));
      for (const folder of folders) await rm(folder, { recursive: true, force: true });
    },
  };
}

export const clientOf = ({ url }: ServerProcess, apiKey: string): Drs => createDrs({ server: url, apiKey });
