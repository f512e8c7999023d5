import type { Logger } from "pino";
import type { Domain } from "../domain/domain.ts";
import { newOwner } from "../domain/processes.ts";
import type { Api } from "../api.ts";
import { logFault } from "../logging/log-fault.ts";
import type { Stores } from "../stores.ts";

/** The periodic tasks of an API process. */
export interface PeriodicTasks {
  /** Creates the key that signs links if there is none or a new one is due. */
  maintainLinks(): Promise<void>;
  /** Writes collected data and releases the leader leases. */
  stop(): Promise<void>;
}

/** The interval at which times of last use (keys, members, cached renditions) and counts of requests are written. */
const flushMs = 10_000;
/** The interval at which the key that signs links is checked; it is due after weeks. */
const maintainLinksMs = 3_600_000;
/** Longer than the check takes. */
const linksHoldMs = 60_000;

interface Options {
  readonly stores: Stores;
  readonly api: Pick<Api, "domain" | "useLogs">;
  /** Whether the process reserves disk space of the data folder for deleting. */
  readonly keepsReserve: boolean;
  readonly log: Logger;
}

export function startPeriodicTasks({ stores, api, keepsReserve, log }: Options): PeriodicTasks {
  const owner = newOwner();
  const flush = (): Promise<void> => flushAll(api.useLogs, log);
  const maintain = (): Promise<void> => maintainLinks(api.domain, owner, log);
  const flushing = setInterval(() => void flush(), flushMs);
  const refilling = keepsReserve ? setInterval(() => void refillReserve(stores, log), flushMs) : undefined;
  const maintaining = setInterval(() => void maintain(), maintainLinksMs);
  return {
    maintainLinks: maintain,
    async stop() {
      clearInterval(flushing);
      clearInterval(refilling);
      clearInterval(maintaining);
      await flush();
      await stores.metadata.leaderLeases.release(owner).catch(() => undefined);
    },
  };
}

export async function refillReserve({ reserve }: Pick<Stores, "reserve">, log: Logger): Promise<void> {
  await reserve.refill().catch((cause: unknown) => logFault(log, "warn", { err: cause }, "no disk kept for deleting"));
}

async function flushAll(logs: Api["useLogs"], log: Logger): Promise<void> {
  for (const uses of logs) {
    await uses
      .flush()
      .catch((cause: unknown) => logFault(log, "warn", { err: cause }, "marks of use not written; trying again"));
  }
}

/** Runs on one server at a time, the first whose interval has passed; the others then have nothing to do. */
async function maintainLinks({ metadata, shareLinks }: Domain, owner: string, log: Logger): Promise<void> {
  try {
    if ((await metadata.leaderLeases.hold("links", owner, linksHoldMs)) !== undefined) await shareLinks.maintain();
  } catch (cause) {
    logFault(log, "warn", { err: cause }, "the keys that sign links were not looked after; trying again in an hour");
  }
}
