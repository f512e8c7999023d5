import { Counter, Histogram, type Registry } from "prom-client";
import type { Counts, Meter, Times } from "../domain/ports/meter.ts";

interface Definition<Labels> {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly (keyof Labels & string)[];
}

interface CounterDefinition<Labels> extends Definition<Labels> {
  /** Series that are 0 from the start, so that the first increase is visible as one. */
  readonly zeros?: readonly Labels[];
}

/** Definitions of all counters. */
const counters: { readonly [Name in keyof Counts]: CounterDefinition<Counts[Name]> } = {
  jobs: {
    name: "drs_jobs_total",
    help: "Jobs that ended: succeeded, failed or canceled. Jobs that end with the deletion of their dataset are not counted.",
    labelNames: ["type", "result", "reason"],
  },
  jobRetries: {
    name: "drs_job_retries_total",
    help: "Jobs given back for another try, or until storage can be written.",
    labelNames: ["type", "reason"],
  },
  jobClaims: {
    name: "drs_job_claims_total",
    help: "Claims of jobs, repeated ones included.",
    labelNames: ["type"],
  },
  jobClaimsLost: {
    name: "drs_job_claims_lost_total",
    help: "Claims that ended before the work did: `ended`, the job was cancelled or deleted; `lapsed`, its lease ran out and another worker has the job.",
    labelNames: ["cause"],
    zeros: [{ cause: "ended" }, { cause: "lapsed" }],
  },
  pages: {
    name: "drs_pages_total",
    help: "Pages that were read, rendered (with DRS_RENDITIONS=eager) or embedded; pages of an index that is rebuilt count again.",
    labelNames: ["stage", "result", "reason"],
    zeros: [
      { stage: "read", result: "succeeded", reason: "" },
      { stage: "embed", result: "succeeded", reason: "" },
    ],
  },
  renditions: {
    name: "drs_rendition_requests_total",
    help: "Page pictures and one-page PDFs that links asked for: `hit` or `miss` of the cache.",
    labelNames: ["result"],
    zeros: [{ result: "hit" }, { result: "miss" }],
  },
  webhooks: {
    name: "drs_webhook_tries_total",
    help: "Tries to deliver a webhook or callback: `accepted` (2xx), `refused` (any other status) or `unanswered`.",
    labelNames: ["result"],
    zeros: [{ result: "accepted" }, { result: "refused" }, { result: "unanswered" }],
  },
  renditionEvictions: {
    name: "drs_rendition_evictions_total",
    help: "Renditions removed from the cache to make room.",
    labelNames: [],
  },
};

interface HistogramDefinition<Labels> extends Definition<Labels> {
  /** Upper bounds, seconds. */
  readonly buckets: readonly number[];
}

/** Definitions of all histograms. */
const timings: { readonly [Name in keyof Times]: HistogramDefinition<Times[Name]> } = {
  jobs: {
    name: "drs_job_duration_seconds",
    help: "Time from a job's first claim to its end.",
    labelNames: ["type", "result"],
    // From one page to a book of thousands.
    buckets: [1, 2.5, 5, 10, 30, 60, 300, 900, 3600],
  },
  jobWaits: {
    name: "drs_job_wait_seconds",
    help: "Time from a job's creation to its first claim.",
    labelNames: ["type"],
    buckets: [0.1, 0.5, 1, 5, 15, 60, 300, 900, 3600],
  },
  searches: {
    name: "drs_search_part_duration_seconds",
    help: "Time of the parts of searches. `turn`: waiting for other searches; `query`: what the pack makes of it; `words`, `documents`, `vectors`, `scores`, `reading`: calls to the index, where `vectors` waits for `words`, which waits for `documents`, and the others overlap; `fusion`: one ranking of several; `rows`: what is returned.",
    labelNames: ["part"],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
  },
  stores: {
    name: "drs_store_duration_seconds",
    help: "Time of calls to `metadata`, `blobs` and `vectors` by method of the port; `failed` are those where the store is at fault. Writing a blob includes the time in which its bytes arrive.",
    labelNames: ["store", "operation", "result"],
    // Few, because there are some hundred operations.
    buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10],
  },
};

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
