import pg from "pg";
import { connectionSettings } from "./pool.ts";

/** The channel of LISTEN and NOTIFY; each database has its own channels. */
const channel = "drs_work";

/** Announcements within this time, ms, are sent as one, because each takes a statement. */
const gatherMs = 10;
/** Pauses before listening is tried again, ms; they double. In the meantime, workers look for work by themselves. */
const retryMs = { first: 500, max: 15_000 } as const;

export interface WorkSignal {
  announce(): void;
  /** Listens until the returned function is called. */
  listen(listener: () => void): () => void;
  close(): Promise<void>;
}

/**
 * Announces work between the processes that share a database. Uses a connection of its own, which is open while anyone
 * announces or listens. An announcement is a hint: if it gets lost, the work waits until a worker looks by itself.
 */
export function createWorkSignal(connectionString: string): WorkSignal {
  const listeners = new Set<() => void>();
  let client: pg.Client | undefined;
  let connecting: Promise<pg.Client | undefined> | undefined;
  let retrying: NodeJS.Timeout | undefined;
  let pauseMs: number = retryMs.first;
  let isClosed = false;

  const lose = (lost: pg.Client): void => {
    void lost.end().catch(() => undefined);
    if (client !== lost) return;
    client = undefined;
    if (listeners.size > 0) retryLater();
  };

  async function connect(): Promise<pg.Client | undefined> {
    const tellAll = (): void => listeners.forEach((listener) => listener());
    const fresh = await listening(connectionString, { onLost: lose, onNotification: tellAll });
    if (fresh === undefined) {
      if (listeners.size > 0) retryLater();
      return undefined;
    }
    if (isClosed) {
      await fresh.end();
      return undefined;
    }
    client = fresh;
    pauseMs = retryMs.first;
    // Look for work that was announced while nobody listened.
    tellAll();
    return fresh;
  }

  function connected(): Promise<pg.Client | undefined> {
    if (client !== undefined || isClosed) return Promise.resolve(client);
    connecting ??= connect().finally(() => (connecting = undefined));
    return connecting;
  }

  function retryLater(): void {
    if (isClosed || retrying !== undefined) return;
    retrying = setTimeout(() => {
      retrying = undefined;
      void connected();
    }, pauseMs).unref();
    pauseMs = Math.min(2 * pauseMs, retryMs.max);
  }

  /** One statement at a time; later announcements follow it. */
  let notifying: Promise<unknown> = Promise.resolve();
  function notify(): void {
    notifying = notifying.then(async () => {
      const to = await connected();
      await to?.query(`notify ${channel}`).catch(() => undefined);
    });
  }

  const announcements = gathered(notify);

  return {
    announce() {
      if (!isClosed) announcements.add();
    },
    listen(listener) {
      listeners.add(listener);
      void connected();
      return () => listeners.delete(listener);
    },
    async close() {
      isClosed = true;
      announcements.drop();
      clearTimeout(retrying);
      listeners.clear();
      await connecting;
      await notifying;
      await client?.end().catch(() => undefined);
    },
  };
}

/** Sends announcements that follow each other within a short time as one. */
function gathered(send: () => void): { add(): void; drop(): void } {
  let timer: NodeJS.Timeout | undefined;
  return {
    add() {
      timer ??= setTimeout(() => {
        timer = undefined;
        send();
      }, gatherMs);
    },
    drop: () => clearTimeout(timer),
  };
}

/** Opens a connection that listens to the channel; returns undefined if that fails. */
async function listening(
  connectionString: string,
  { onLost, onNotification }: { readonly onLost: (lost: pg.Client) => void; readonly onNotification: () => void },
): Promise<pg.Client | undefined> {
  const fresh = new pg.Client({ ...connectionSettings, connectionString });
  fresh.on("error", () => onLost(fresh));
  fresh.on("end", () => onLost(fresh));
  fresh.on("notification", onNotification);
  try {
    await fresh.connect();
    await fresh.query(`listen ${channel}`);
    return fresh;
  } catch {
    void fresh.end().catch(() => undefined);
    return undefined;
  }
}
