import { Registry } from "prom-client";
import { createMeter } from "../../server/metrics/meter.ts";
import { registerSamples } from "../../server/metrics/samples.ts";
import { registerWorkerMetrics } from "../../server/pipeline/process/metrics.ts";
import { createMetrics } from "../../server/transport/endpoints/metrics.ts";
import { code, codes, prose, sentence, table } from "./markdown.ts";

/** Returns a table of the metrics that a server registers (`drs_…`). It reads none of their values. */
export function metricsReference(): string {
  const registry = new Registry();
  const unread = (): never => {
    throw new Error("no metric is read here");
  };
  registerSamples(registry, {
    metadata: { jobs: { queue: unread }, renditions: { totalBytes: unread }, indices: { countRebuilds: unread } },
    disk: unread,
    cacheBytes: 0,
    clock: Date.now,
  });
  createMeter(registry);
  createMetrics(registry);
  registerWorkerMetrics(registry, { state: unread, stats: unread });
  const rows = registry
    .getMetricsAsArray()
    .filter(({ name }) => name.startsWith("drs_"))
    .map((metric) => [code(metric.name), String(metric.type), codes(labelsOf(metric)), prose(sentence(metric.help))]);
  return table(["metric", "type", "labels", "meaning"], rows);
}

/** Returns the names of a metric's labels, which the library's types do not declare. */
function labelsOf(metric: object): readonly string[] {
  const names: unknown = "labelNames" in metric ? metric.labelNames : [];
  return Array.isArray(names) ? names.map(String) : [];
}
