import { createDrs, type Drs } from "@drs/client";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { startCommand } from "../service/command.ts";
import { createFleetProcess, type FleetProcess } from "./fleet-process.ts";

/** API processes and workers on the same stores. */
export interface Fleet {
  readonly apis: readonly FleetProcess[];
  readonly workers: readonly FleetProcess[];
  readonly all: readonly FleetProcess[];
  /** A key of the first workspace, with every scope. */
  readonly apiKey: string;
  /** A client of the nth API process. */
  client(api: number): Drs;
  /** Returns the findings of `drs verify`; with `repair`, the repaired ones. */
  verify(...flags: readonly string[]): Promise<{ readonly code: number | null; readonly kinds: readonly string[] }>;
  close(): Promise<void>;
}

export interface FleetSize {
  readonly apis: number;
  readonly workers: number;
  /** How the processes find the stores. */
  readonly env: Readonly<Record<string, string>>;
  readonly apiFlags?: readonly string[];
}

/** Starts all of them, the first API process before the others: it makes the key. */
export async function startFleet({
  apis: apiCount,
  workers: workerCount,
  env,
  apiFlags = [],
}: FleetSize): Promise<Fleet> {
  const make = (kind: FleetProcess["kind"], count: number): Promise<FleetProcess[]> =>
    Promise.all(
      Array.from({ length: count }, (_, index) =>
        createFleetProcess({ kind, name: `${kind}${index}`, env, flags: kind === "api" ? apiFlags : [] }),
      ),
    );
  const apis = await make("api", apiCount);
  const workers = await make("worker", workerCount);
  const all = [...apis, ...workers];
  const close = async (): Promise<void> => {
    await Promise.all(all.map((one) => one.remove()));
  };
  const [first] = apis;
  if (first === undefined) throw new Error("a fleet has an API process");
  try {
    await first.start();
    await Promise.all(all.slice(1).map((one) => one.start()));
    const apiKey = await keyIn(first.dataDir);
    return {
      apis,
      workers,
      all,
      apiKey,
      client: (api) => createDrs({ server: apis[api]?.url ?? first.url, apiKey }),
      async verify(...flags) {
        const words = ["verify", "--json", "--data-dir", first.dataDir, ...flags];
        const { code, stdout, stderr } = await startCommand(words, env).outcome;
        if (stderr !== "") throw new Error(`drs verify: ${stderr}`);
        const lines = stdout.split("\n").filter((line) => line !== "");
        return { code, kinds: lines.map((line) => String(JSON.parse(line).kind)) };
      },
      close,
    };
  } catch (cause) {
    await close();
    throw cause;
  }
}

export async function keyIn(dataDir: string): Promise<string> {
  const { apiKey }: { apiKey: string } = JSON.parse(await readFile(join(dataDir, "credentials.json"), "utf8"));
  return apiKey;
}
