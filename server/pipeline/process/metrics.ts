import { Counter, Gauge, type Registry } from "prom-client";
import type { Supervisor } from "./supervisor.ts";
import { restartReasons } from "./worker-keeper.ts";

/** Registers metrics of a supervisor's worker, whose values are read at each scrape. */
export function registerWorkerMetrics(registry: Registry, supervisor: Pick<Supervisor, "state" | "stats">): void {
  const restarts = new Counter({
    name: "drs_worker_restarts_total",
    help: "Worker processes that were replaced: `fault`; `killed` from outside; `exit`; `start`, not ready in time; `hung`; `memory`, replaced by a successor while it kept running.",
    labelNames: ["reason"],
    registers: [],
    collect() {
      this.reset();
      const { restarts } = supervisor.stats();
      for (const reason of restartReasons) this.inc({ reason }, restarts[reason]);
    },
  });
  const misses = new Counter({
    name: "drs_worker_missed_pings_total",
    help: "Pings that the worker process did not answer in time.",
    registers: [],
    collect() {
      this.reset();
      this.inc(supervisor.stats().missedPings);
    },
  });
  const up = new Gauge({
    name: "drs_worker_up",
    help: "1: a worker process is ready and answers.",
    registers: [],
    collect() {
      this.set(supervisor.state().ready ? 1 : 0);
    },
  });
  const memory = new Gauge({
    name: "drs_worker_memory_bytes",
    help: "Resident memory of the worker process, as last reported.",
    registers: [],
    collect() {
      this.set(supervisor.stats().rssBytes);
    },
  });
  for (const metric of [restarts, misses, up, memory]) registry.registerMetric(metric);
}
