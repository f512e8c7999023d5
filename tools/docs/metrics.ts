import { Registry } from "prom-client";
import { createMeter } from "../../server/metrics/meter.ts";
import { registerSamples } from "../../server/metrics/samples.ts";
import { registerWorkerMetrics } from "../../server/pipeline/process/metrics.ts";
import { createMetrics } from "../../server/transport/endpoints/metrics.ts";
import { code, codes, prose, sentence, table } from "./markdown.ts";

/** The metrics that a server registers, `drs_…`; none of them is read. */
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

/** The library's types do not declare them. */
function labelsOf(metric: object): readonly string[] {
  const names: unknown = "labelNames" in metric ? metric.labelNames : [];
  return Array.isArray(names) ? names.map(String) : [];
}
