/** The response of `GET /operator/state`; times are milliseconds. */
export interface State {
  readonly at: number;
  readonly metrics: readonly Metric[];
  readonly jobs: readonly QueuedJob[];
}

interface Metric {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** An unfinished job. */
export interface QueuedJob {
  readonly id: string;
  readonly workspaceId: string;
  readonly type: string;
  readonly stage: string;
  readonly state: string;
  readonly pagesDone: number;
  readonly pagesTotal: number;
  readonly tries: number;
  readonly worker: string | null;
  readonly ageMs: number;
  readonly unchangedMs: number;
}

/** Checks the response. Throws if it has another form: the server is of another version. */
export function parseState(answer: unknown): State {
  if (
    isRecord(answer) &&
    typeof answer["at"] === "number" &&
    Array.isArray(answer["metrics"]) &&
    Array.isArray(answer["jobs"])
  ) {
    const { at, metrics, jobs } = answer;
    if (metrics.every(isMetric) && jobs.every(isJob)) return { at, metrics, jobs };
  }
  throw new Error("the server's state cannot be read: it is of another version than this command");
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

const isMetric = (value: unknown): value is Metric =>
  isRecord(value) &&
  typeof value["name"] === "string" &&
  typeof value["value"] === "number" &&
  isRecord(value["labels"]);

const texts = ["id", "workspaceId", "type", "stage", "state"] as const;
const numbers = ["pagesDone", "pagesTotal", "tries", "ageMs", "unchangedMs"] as const;

const isJob = (value: unknown): value is QueuedJob =>
  isRecord(value) &&
  texts.every((name) => typeof value[name] === "string") &&
  numbers.every((name) => typeof value[name] === "number");

/** The state of a service in the terms of its operator. Times are milliseconds, sizes bytes. */
export interface Snapshot {
  readonly at: number;
  readonly queue: readonly QueueRow[];
  /** Number of worker processes that have jobs, on all hosts. */
  readonly workers: number;
  /** Pages per second of this server's host by stage; undefined if not known yet. */
  readonly pagesPerSecond: Readonly<Record<Stage, number>> | undefined;
  /** Failures on this server's host since it was started, most frequent first. */
  readonly failures: readonly Failure[];
  readonly disk: { readonly freeBytes: number; readonly sizeBytes: number } | undefined;
  readonly cache: { readonly bytes: number; readonly maxBytes: number } | undefined;
  readonly apiBytes: number;
  readonly worker: { readonly isUp: boolean; readonly bytes: number; readonly restarts: number };
  readonly claimsLost: number;
  /** Names of the values that the server could not read: `queue`, `disk` … */
  readonly unread: readonly string[];
  /** Jobs, oldest first. */
  readonly jobs: readonly QueuedJob[];
}

export interface QueueRow {
  readonly type: string;
  readonly stage: string;
  readonly state: string;
  readonly count: number;
  readonly ageMs: number;
}

export interface Failure {
  readonly what: "job" | "page";
  /** Stage in which a page failed; undefined for a job. */
  readonly stage: string | undefined;
  readonly reason: string;
  readonly count: number;
}

const stages = ["read", "render", "embed"] as const;
type Stage = (typeof stages)[number];

/** Creates a snapshot of a state. `before`: an earlier state of the same server, for rates. */
export function snapshotOf(state: State, before?: State): Snapshot {
  const all = reader(state.metrics);
  return {
    at: state.at,
    queue: queueOf(all),
    workers: all.sum("drs_queue_workers"),
    pagesPerSecond: before && pageRates(state, before),
    failures: failuresOf(all),
    disk: all.has("drs_disk_size_bytes")
      ? { freeBytes: all.sum("drs_disk_free_bytes"), sizeBytes: all.sum("drs_disk_size_bytes") }
      : undefined,
    cache: all.has("drs_rendition_cache_bytes")
      ? { bytes: all.sum("drs_rendition_cache_bytes"), maxBytes: all.sum("drs_rendition_cache_limit_bytes") }
      : undefined,
    apiBytes: all.sum("process_resident_memory_bytes"),
    worker: {
      isUp: all.sum("drs_worker_up") > 0,
      bytes: all.sum("drs_worker_memory_bytes"),
      restarts: all.sum("drs_worker_restarts_total"),
    },
    claimsLost: all.sum("drs_job_claims_lost_total", { cause: "lapsed" }),
    unread: all.named("drs_sample_up").flatMap(({ labels, value }) => (value === 0 ? [labels["sample"] ?? ""] : [])),
    jobs: state.jobs,
  };
}

type Reader = ReturnType<typeof reader>;

function reader(metrics: readonly Metric[]) {
  const named = (name: string, labels: Metric["labels"] = {}): readonly Metric[] =>
    metrics.filter(
      (metric) => metric.name === name && Object.entries(labels).every(([key, text]) => metric.labels[key] === text),
    );
  return {
    named,
    has: (name: string): boolean => named(name).length > 0,
    sum: (name: string, labels?: Metric["labels"]): number =>
      named(name, labels).reduce((sum, { value }) => sum + value, 0),
  };
}

function queueOf(all: Reader): QueueRow[] {
  return all
    .named("drs_queue_jobs")
    .map(({ labels, value }) => ({
      type: labels["type"] ?? "",
      stage: labels["stage"] ?? "",
      state: labels["state"] ?? "",
      count: value,
      ageMs: Math.round(all.sum("drs_queue_oldest_age_seconds", labels) * 1000),
    }))
    .toSorted((one, other) => other.count - one.count || other.ageMs - one.ageMs);
}

/** Returns pages per second; undefined if no time has passed, or the server was restarted between the states. */
function pageRates(state: State, before: State): Snapshot["pagesPerSecond"] {
  const seconds = (state.at - before.at) / 1000;
  const [now, then] = [reader(state.metrics), reader(before.metrics)];
  const rate = (stage: Stage): number =>
    (now.sum("drs_pages_total", { stage }) - then.sum("drs_pages_total", { stage })) / seconds;
  const rates = { read: rate("read"), render: rate("render"), embed: rate("embed") };
  return seconds > 0 && stages.every((stage) => rates[stage] >= 0) ? rates : undefined;
}

function failuresOf(all: Reader): Failure[] {
  const jobs = all.named("drs_jobs_total", { result: "failed" }).map((metric) => ({ what: "job" as const, metric }));
  const pages = all.named("drs_pages_total", { result: "failed" }).map((metric) => ({ what: "page" as const, metric }));
  const sums = new Map<string, Failure>();
  for (const { what, metric } of [...jobs, ...pages]) {
    const { stage, reason = "" } = metric.labels;
    const key = `${what} ${stage} ${reason}`;
    sums.set(key, { what, stage, reason, count: (sums.get(key)?.count ?? 0) + metric.value });
  }
  return [...sums.values()].filter(({ count }) => count > 0).toSorted((one, other) => other.count - one.count);
}
