import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Drs } from "@drs/client";
import { type Check, fail, ok, reasonIn, warn } from "./check.ts";

/** A healthy server answers its health check at once, milliseconds. */
const patienceMs = 3_000;

/** Whether a server answers, and which process holds the data folder. */
export async function checkServer(server: string, dataDir: string): Promise<Check> {
  const name = "server";
  const owner = await lockOwner(dataDir);
  const held = owner === undefined ? "" : `, process ${owner} holds the data folder`;
  try {
    const response = await fetch(new URL("/readyz", server), { signal: AbortSignal.timeout(patienceMs) });
    if (response.ok) return ok(name, `${server} is ready${held}`);
    return warn(
      name,
      `${server} is not ready (${response.status})${held}`,
      "wait a moment; its log says what it waits for",
    );
  } catch (cause) {
    if (owner !== undefined)
      return warn(
        name,
        `${server} does not answer${held}`,
        `look at the log of process ${owner}, or stop it and run: drs serve`,
      );
    return warn(
      name,
      `${server} does not answer: ${reasonIn(cause instanceof Error ? (cause.cause ?? cause) : cause)}`,
      "start it with: drs serve",
    );
  }
}

/** Whether the key in use opens the server. */
export async function checkKey(connect: () => Promise<Drs>): Promise<Check> {
  const name = "API key";
  try {
    const drs = await connect();
    await drs.jobs.page({ limit: 1 }, { signal: AbortSignal.timeout(patienceMs) });
    return ok(name, "the server accepts it");
  } catch (cause) {
    return fail(
      name,
      reasonIn(cause),
      "check --api-key, DRS_API_KEY and credentials.json in the data folder; drs keys create makes a new one",
    );
  }
}

/** The process that wrote its number beside the lock, if it is alive. */
async function lockOwner(dataDir: string): Promise<number | undefined> {
  const text = await readFile(join(dataDir, "server.pid"), "utf8").catch(() => "");
  const pid = Number(text.trim());
  if (!Number.isInteger(pid) || pid <= 0) return undefined;
  try {
    process.kill(pid, 0);
    return pid;
  } catch (cause) {
    // It is there, but somebody else's.
    return cause instanceof Error && "code" in cause && cause.code === "EPERM" ? pid : undefined;
  }
}
