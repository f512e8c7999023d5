import { setTimeout as sleep } from "node:timers/promises";
import type { RunningServer } from "@drs/server";
import {
  type FolderAddress,
  type FolderLock,
  type FolderOwner,
  isLocked,
  readOwner,
  tryLockDataDir,
} from "@drs/server/folder";
import { CliError } from "../failures.ts";
import type { CommandIo } from "../command-io.ts";
import { createGuardedFetch, type Place } from "./guarded-fetch.ts";
import { type Guests, openGuests } from "./guests.ts";
import { isProven } from "./proven.ts";
import { createProvenFetch, type ProvenFetch } from "./proven-fetch.ts";
import { join } from "node:path";

/** The service of a data folder on this machine, whichever process runs it. */
export interface FolderService {
  /** The address that it had first; `fetch` sends requests for it to wherever the service is now. */
  readonly url: string;
  readonly fetch: typeof fetch;
  /** Whether this process runs it now. */
  isOwn(): boolean;
  /** Whether it ends with this or another command, after which its links are dead. */
  endsWithCommand(): boolean;
  /**
   * If this process runs the service: resolves when no other command uses it any more, or when the user wants to stop.
   */
  outlastGuests(onWait: () => void): Promise<void>;
  /** Lets running requests end, and stops everything that this process has started. */
  close(): Promise<void>;
}

interface FolderOptions {
  readonly dataDir: string;
  readonly env: CommandIo["env"];
  readonly signal: AbortSignal;
  /** Whether this process may run the service if none does. */
  readonly mayStart: boolean;
  /** Called when this process is about to run the service. */
  readonly onStart: () => void;
}

type Present = Place &
  Pick<ProvenFetch, "close"> & { readonly secret: string | undefined } & (
    | { readonly kind: "own"; readonly server: RunningServer }
    | { readonly kind: "guest"; readonly owner: FolderOwner["kind"] }
  );

/** Interval of checking for other processes that start, stop or use the server, milliseconds. */
const lookMs = 50;
/** Maximum wait for another process, milliseconds: longer than a start with migrations, and than a drain. */
const maxWaitMs = 60_000;

/**
 * Uses the server that has the data folder, or else runs it in this process. Only one process can have the folder: the
 * second one waits until the first one's server answers. A command that serves stays until its last guest has gone; if
 * it is killed, a guest takes over with its next request. A server started with `drs serve` is never taken over when it
 * stops: it may be restarting.
 */
export async function openFolderService(options: FolderOptions): Promise<FolderService> {
  const { dataDir, signal } = options;
  const guests = openGuests(dataDir);
  const origins = new Set<string>();
  let now: Present | undefined;
  let finding: Promise<Present> | undefined;

  async function present(): Promise<Place> {
    if (now !== undefined && isThere(now.url)) return now;
    // Concurrent requests look for the server only once.
    finding ??= findService(options, guests, now).finally(() => (finding = undefined));
    const before = now;
    now = await finding;
    if (before !== now) await before?.close();
    origins.add(new URL(now.url).origin);
    return now;
  }

  function isThere(url: string): boolean {
    if (now?.url !== url) return false;
    if (now.kind === "own") return true;
    return isLocked(dataDir) && readOwner(dataDir)?.address?.secret === now.secret;
  }

  async function close(): Promise<void> {
    const last = await (finding ?? Promise.resolve(now)).catch(() => now);
    await last?.close();
    if (last?.kind === "own") await last.server.close();
    guests.close();
  }

  let url: string;
  try {
    ({ url } = await present());
    signal.throwIfAborted();
  } catch (cause) {
    await close();
    throw cause;
  }
  return {
    url,
    fetch: createGuardedFetch({ present, isThere, leadsThere: (origin) => origins.has(origin) }),
    isOwn: () => now?.kind === "own",
    endsWithCommand: () => now?.kind === "own" || now?.owner === "command",
    async outlastGuests(onWait) {
      if (now?.kind !== "own") return;
      for (let waits = false; !signal.aborted && !guests.shut(); waits = true) {
        if (!waits) onWait();
        await sleep(lookMs, undefined, { signal }).catch(() => undefined);
      }
    },
    close,
  };
}

/** Finds the server that has the folder, or starts one. `before`: the one that was used until now. */
async function findService(options: FolderOptions, guests: Guests, before: Present | undefined): Promise<Present> {
  const { dataDir, signal } = options;
  const giveUpAt = Date.now() + maxWaitMs;
  for (;;) {
    signal.throwIfAborted();
    const lock = tryLockDataDir(dataDir, "command");
    if (lock !== undefined) return takeOver(options, guests, lock, before);
    const isGuest = guests.join();
    const owner = readOwner(dataDir);
    const address = isGuest ? owner?.address : undefined;
    if (owner !== undefined && address !== undefined) {
      if (address.secret === undefined) throw tooOld(dataDir, owner);
      if (await isProven(address, signal))
        return { kind: "guest", ...address, ...createProvenFetch(address), owner: owner.kind };
    }
    if (Date.now() > giveUpAt) throw noAnswer(dataDir, owner);
    await sleep(lookMs, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}

/** Starts the service, unless the folder's server may come back or this process may not. */
async function takeOver(
  { dataDir, env, mayStart, onStart }: FolderOptions,
  guests: Guests,
  lock: FolderLock,
  before: Present | undefined,
): Promise<Present> {
  if (before?.kind === "guest" && before.owner === "server") {
    lock.release();
    // Looks like a network failure, after which callers try again.
    throw new TypeError("fetch failed", { cause: new Error("the server has stopped") });
  }
  if (!mayStart) {
    lock.release();
    throw new CliError(`no server is running on the data folder ${dataDir}`, {
      next: "start one with: drs serve, or unset DRS_LOCAL so that commands may start one",
    });
  }
  if (before === undefined) onStart();
  guests.leave();
  const server = await startOwnServer(dataDir, lock, env);
  const address: FolderAddress = { url: server.url, secret: lock.secret };
  return { kind: "own", ...address, ...createProvenFetch(address), server };
}

function noAnswer(dataDir: string, owner: FolderOwner | undefined): CliError {
  const process = owner === undefined ? "another process" : `process ${owner.pid}`;
  const what = owner?.kind === "command" ? `a drs command (${process})` : `a drs server (${process})`;
  const where =
    owner?.address === undefined
      ? "does not answer"
      : `nothing at ${owner.address.url} proves to be that server, so it gets no key`;
  return new CliError(`${what} has the data folder ${dataDir} and ${where}`, {
    next:
      "continue or stop that process; if it runs in a container or behind a forwarded port, " +
      "name the address it has here with --server, and the key with --api-key or DRS_API_KEY",
  });
}

function tooOld(dataDir: string, { pid, address }: FolderOwner): CliError {
  return new CliError(
    `the server (process ${pid}) that has the data folder ${dataDir} is of an older version of drs, which cannot prove that it is that server`,
    {
      next: `restart it with this version; until then name --server ${address?.url ?? "URL"} and a key with --api-key`,
    },
  );
}

/** Starts the service in this process, for this machine only, on a data folder that this process has locked. */
async function startOwnServer(dataDir: string, lock: FolderLock, env: CommandIo["env"]): Promise<RunningServer> {
  try {
    const [{ serve }, { readSettings }] = await Promise.all([import("@drs/server"), import("@drs/server/settings")]);
    const settings = readSettings({
      flags: { dataDir, host: "127.0.0.1", port: "0", publicUrl: "", log: env["DRS_LOG"] || "warn" },
      env,
    });
    // The command sends a request at once, so there is no time to warm up.
    return await serve(settings, { warmUp: false, lock, logFile: join(dataDir, "drs.log") });
  } catch (cause) {
    lock.release();
    throw cause;
  }
}
