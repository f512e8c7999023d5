import { setTimeout as sleep } from "node:timers/promises";
import type { FleetProcess } from "./fleet-process.ts";

/** Chooses an API process for each request among those that say that they are ready, as a proxy in front of them does. */
export interface Balancer {
  /** Its address. Waits while none is ready. */
  pick(): Promise<string>;
  allReady(): Promise<void>;
  close(): Promise<void>;
}

/** How often each is asked; less than the drain delay of the servers. */
const askMs = 200;

export function startBalancer(apis: readonly FleetProcess[]): Balancer {
  const ready = new Set<FleetProcess>();
  const stop = new AbortController();
  let turn = 0;
  const watch = async (api: FleetProcess): Promise<void> => {
    for (; !stop.signal.aborted; await sleep(askMs)) {
      const answer = await fetch(`${api.url}/readyz`, { signal: stop.signal }).catch(() => undefined);
      await answer?.body?.cancel();
      if (answer?.ok === true) ready.add(api);
      else ready.delete(api);
    }
  };
  const watching = Promise.all(apis.map(watch));
  return {
    async pick() {
      for (; ; await sleep(20)) {
        const choice = [...ready];
        const api = choice[turn++ % choice.length];
        if (api !== undefined) return api.url;
      }
    },
    async allReady() {
      while (ready.size < apis.length) await sleep(20);
    },
    async close() {
      stop.abort();
      await watching;
    },
  };
}
