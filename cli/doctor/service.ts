import { isLocked, readOwner } from "@drs/server/folder";
import type { Connected } from "../connection/connect.ts";
import { isProven } from "../local/proven.ts";
import type { CommandIo } from "../command-io.ts";
import { type Check, fail, ok, reasonIn, warn } from "./check.ts";
import { configPath, readProfiles } from "../connection/profiles.ts";
import { CliError } from "../failures.ts";

/** Time limit for a health check, which a healthy server answers at once, milliseconds. */
const timeoutMs = 3_000;

/** The outcome of a check of a server, and whether a server runs that can be asked for more. */
interface ServerCheck {
  readonly isRunning: boolean;
  readonly check: Check;
}

const name = "server";

/** Checks whether a server answers at an address. */
export async function checkServer(server: string): Promise<ServerCheck> {
  try {
    const response = await fetch(new URL("/readyz", server), { signal: AbortSignal.timeout(timeoutMs) });
    if (response.ok) return { isRunning: true, check: ok(name, `${server} is ready`) };
    const next = "wait a moment; its log says what it waits for";
    return { isRunning: false, check: warn(name, `${server} is not ready (${response.status})`, next) };
  } catch (cause) {
    const reason = reasonIn(cause instanceof Error ? (cause.cause ?? cause) : cause);
    const next = "start it there with: drs serve, or name another one with --server or DRS_SERVER";
    return { isRunning: false, check: warn(name, `${server} does not answer: ${reason}`, next) };
  }
}

/** Checks which process uses the data folder, and whether its server answers. */
export async function checkFolderServer(dataDir: string, { env, signal }: CommandIo): Promise<ServerCheck> {
  const absent = (check: Check): ServerCheck => ({ isRunning: false, check });
  if (!isLocked(dataDir)) {
    return absent(
      env["DRS_LOCAL"] === "never"
        ? warn(name, "none is running, and DRS_LOCAL keeps commands from starting one", "start it with: drs serve")
        : ok(name, "none is running; commands start a temporary one (drs serve starts a permanent one)"),
    );
  }
  const owner = readOwner(dataDir);
  const who = owner?.kind === "command" ? "a drs command" : "a drs server";
  const held = `${who} (process ${owner?.pid ?? "unknown"}) has the data folder`;
  if (owner?.address === undefined)
    return absent(warn(name, `${held} and is starting or stopping`, "try again in a moment"));
  if (owner.address.secret === undefined)
    return absent(warn(name, `${held} and is of an older version of drs`, "restart it with this version"));
  if (!(await isProven(owner.address, signal))) {
    const next =
      `continue or stop process ${owner.pid}; if it runs in a container or behind a forwarded port, ` +
      "name its address here with --server and a key with --api-key";
    return absent(warn(name, `${held}, but nothing at ${owner.address.url} proves to be its server`, next));
  }
  const { isRunning, check } = await checkServer(owner.address.url);
  return { isRunning, check: { ...check, message: `${check.message}, ${held}` } };
}

/** Checks whether the server accepts the key in use. */
export async function checkKey(connect: () => Promise<Connected>): Promise<Check> {
  const name = "API key";
  try {
    const { drs, close } = await connect();
    try {
      await drs.jobs.page({ limit: 1 }, { signal: AbortSignal.timeout(timeoutMs) });
    } finally {
      await close();
    }
    return ok(name, "the server accepts it");
  } catch (cause) {
    return fail(
      name,
      reasonIn(cause),
      "check --api-key, DRS_API_KEY, the profile and credentials.json in the data folder; drs keys create makes a new one",
    );
  }
}

/** Checks the file of profiles, and reports which one is in use. */
export async function checkProfiles(env: CommandIo["env"]): Promise<Check> {
  const name = "profiles";
  try {
    const { current, byName } = await readProfiles(env);
    if (byName.size === 0) return ok(name, "none; drs login makes one");
    return ok(name, `${[...byName.keys()].join(", ")}; in use: ${current ?? "the data folder of this machine"}`);
  } catch (cause) {
    return warn(name, reasonIn(cause), cause instanceof CliError ? cause.next : `look at ${configPath(env)}`);
  }
}
