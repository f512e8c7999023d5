import type { Registry } from "prom-client";
import type { Clock } from "../domain/clock.ts";
import type { Metadata } from "../domain/ports/metadata.ts";
import type { QueuedJob } from "../domain/ports/jobs.ts";
import { maxQueueJobs } from "./samples.ts";

/** The operator's view of a running service at one moment. */
export interface OperatorState {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Counters and gauges of drs, and the memory of the process, as in /metrics. */
  readonly metrics: readonly MetricValue[];
  /** Unfinished jobs, oldest first. */
  readonly jobs: readonly QueuedJob[];
}

export interface MetricValue {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const shownJobs = 50;

/** Builds the answer of `GET /operator/state`. Throws the store's errors. */
export async function readOperatorState(
  registry: Registry,
  { jobs }: Pick<Metadata, "jobs">,
  clock: Clock,
): Promise<OperatorState> {
  const [metrics, longest] = await Promise.all([
    registry.getMetricsAsJSON(),
    jobs.longestQueued({ limit: shownJobs, maxJobs: maxQueueJobs }),
  ]);
  const shown = metrics.filter(
    ({ name, type }) =>
      // `type` is a name at run time, though prom-client's types declare only numbers.
      String(type) !== "histogram" && (name.startsWith("drs_") || name === "process_resident_memory_bytes"),
  );
  return {
    at: clock(),
    metrics: shown.flatMap(({ name, values }) =>
      values.map(({ labels, value }) => ({
        name,
        labels: Object.fromEntries(Object.entries(labels).map(([label, text]) => [label, String(text)])),
        value,
      })),
    ),
    jobs: longest,
  };
}
