import { collectDefaultMetrics, Counter, Gauge, Histogram, type Registry } from "prom-client";
import { type Admission, type OnRefusal, type WorkKind, workKinds } from "../limits/admission.ts";
import type { RequestRecord } from "../http/exchange.ts";
import type { ConnectionRules } from "../http/listener.ts";
import type { OnCut } from "../limits/pace.ts";

export interface Metrics {
  readonly registry: Registry;
  observe(record: RequestRecord, seconds: number): void;
  /** Counts a request that was refused for lack of capacity. */
  readonly refused: OnRefusal & ConnectionRules["onRefusal"];
  /** Counts a request that was cut off because its client was too slow. */
  readonly cut: OnCut;
  /** Shows the number of requests in progress. */
  show(admission: Pick<Admission, "atWork">): void;
}

/** Seconds, from a cached answer to an upload over a slow line. */
const buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

/**
 * Creates the Prometheus metrics of requests and of the process. Label values come from the contract, never from a
 * request.
 */
export function createMetrics(registry: Registry): Metrics {
  collectDefaultMetrics({ register: registry });
  const requests = new Counter({
    name: "drs_requests_total",
    help: "Requests by method, protocol and result.",
    labelNames: ["method", "protocol", "code"],
    registers: [registry],
  });
  const durations = new Histogram({
    name: "drs_request_duration_seconds",
    help: "Time from a request's headers to the end of its answer.",
    labelNames: ["method", "protocol"],
    buckets,
    registers: [registry],
  });
  const refusals = new Counter({
    name: "drs_refusals_total",
    help: "Requests and connections refused because a limit of parallel work was reached, by kind of work and by whose limit it was.",
    labelNames: ["kind", "dimension"],
    registers: [registry],
  });
  const cuts = new Counter({
    name: "drs_slow_clients_total",
    help: "Requests cut off because their body came, or their answer was taken, too slowly.",
    labelNames: ["what"],
    registers: [registry],
  });
  let admission: Pick<Admission, "atWork"> | undefined;
  const atWork = new Gauge({
    name: "drs_requests_at_work",
    help: "Requests in progress, by kind of work.",
    labelNames: ["kind"],
    collect() {
      for (const kind of workKinds) this.set({ kind }, admission?.atWork(kind) ?? 0);
    },
    registers: [],
  });
  registry.registerMetric(atWork);
  return {
    registry,
    refused: (kind: WorkKind | "connection", dimension: Parameters<OnRefusal>[1]) => refusals.inc({ kind, dimension }),
    cut: (what) => cuts.inc({ what }),
    show: (source) => (admission = source),
    observe({ method, protocol, code }, seconds) {
      requests.inc({ method, protocol, code: code ?? "OK" });
      durations.observe({ method, protocol }, seconds);
    },
  };
}
