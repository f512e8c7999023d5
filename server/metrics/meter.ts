import { Counter, Histogram, type Registry } from "prom-client";
import type { Counts, Meter, Times } from "../domain/ports/meter.ts";
import { counters, timings } from "./catalogue.ts";

/** Creates a meter that records into the registry; all its metrics exist from the start. */
export function createMeter(registry: Registry): Meter {
  const counterOf = new Map<keyof Counts, Counter>();
  for (const [key, { name, help, labelNames, zeros = [] }] of entriesOf(counters)) {
    const counter = new Counter({ name, help, labelNames: [...labelNames], registers: [registry] });
    for (const labels of zeros) counter.inc({ ...labels }, 0);
    counterOf.set(key, counter);
  }
  const histogramOf = new Map<keyof Times, Histogram>();
  for (const [key, { name, help, labelNames, buckets }] of entriesOf(timings)) {
    const options = { name, help, labelNames: [...labelNames], buckets: [...buckets], registers: [registry] };
    histogramOf.set(key, new Histogram(options));
  }
  return {
    count: (name, labels, by = 1) => counterOf.get(name)?.inc({ ...labels }, by),
    time: (name, labels, seconds) => histogramOf.get(name)?.observe({ ...labels }, seconds),
  };
}

/** `Object.entries` with typed keys. */
function entriesOf<Key extends string, Value>(record: Readonly<Record<Key, Value>>): [Key, Value][] {
  const isKey = (key: string): key is Key => key in record;
  return Object.keys(record)
    .filter(isKey)
    .map((key) => [key, record[key]]);
}
