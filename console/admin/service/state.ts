/** The answer of `GET /operator/state`. Times are in milliseconds. */
export interface State {
  readonly at: number;
  readonly metrics: readonly Metric[];
  /** Unfinished jobs, oldest first. */
  readonly jobs: readonly QueuedJob[];
  readonly readiness: Readiness;
}

export interface Readiness {
  readonly ready: boolean;
  /** "ok" for each part, or its problem. */
  readonly checks: Readonly<Record<string, unknown>>;
}

export interface Metric {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface QueuedJob {
  readonly id: string;
  readonly type: string;
  readonly stage: string;
  readonly state: string;
  readonly pagesDone: number;
  readonly pagesTotal: number;
  readonly tries: number;
  readonly worker: string | null;
  readonly unchangedMs: number;
}

/** Returns undefined if the answer has another shape, as from a server of another version. */
export function parseState(answer: unknown): State | undefined {
  if (!isRecord(answer) || typeof answer["at"] !== "number") return undefined;
  const { at, metrics, jobs, readiness } = answer;
  if (!Array.isArray(metrics) || !Array.isArray(jobs) || !isReadiness(readiness)) return undefined;
  return metrics.every(isMetric) && jobs.every(isJob) ? { at, metrics, jobs, readiness } : undefined;
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;

const isReadiness = (value: unknown): value is Readiness =>
  isRecord(value) && typeof value["ready"] === "boolean" && isRecord(value["checks"]);

const isMetric = (value: unknown): value is Metric =>
  isRecord(value) &&
  typeof value["name"] === "string" &&
  typeof value["value"] === "number" &&
  isRecord(value["labels"]);

const texts = ["id", "type", "stage", "state"] as const;
const numbers = ["pagesDone", "pagesTotal", "tries", "unchangedMs"] as const;

const isJob = (value: unknown): value is QueuedJob =>
  isRecord(value) &&
  texts.every((name) => typeof value[name] === "string") &&
  numbers.every((name) => typeof value[name] === "number");

/** Returns the metrics with this name and these labels. */
export const named = ({ metrics }: State, name: string, labels: Metric["labels"] = {}): readonly Metric[] =>
  metrics.filter(
    (metric) => metric.name === name && Object.entries(labels).every(([key, text]) => metric.labels[key] === text),
  );

/** Returns the sum of the metrics with this name and these labels; 0 if there are none. */
export const sum = (state: State, name: string, labels?: Metric["labels"]): number =>
  named(state, name, labels).reduce((sum, { value }) => sum + value, 0);

/** Returns the pages read per second between two states; undefined if the server has restarted or no time has passed. */
export function pagesPerSecond(state: State, before: State): number | undefined {
  const seconds = (state.at - before.at) / 1000;
  const read = (at: State): number => sum(at, "drs_pages_total", { stage: "read" });
  const pages = read(state) - read(before);
  return seconds > 0 && pages >= 0 ? pages / seconds : undefined;
}

/** The figures of one state that are drawn. */
export interface Sample {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly pagesPerSecond: number;
  readonly jobs: number;
}

/** The newest state, and the samples of it and of earlier ones, the newest last. */
export interface History {
  readonly state: State;
  readonly samples: readonly Sample[];
}

/** Two minutes of states, at one every two seconds. */
const keptSamples = 60;

/** Adds a state to the history. There is no speed for the first state, nor for the first one after a restart. */
export function addState(state: State, before: History | undefined): History {
  const samples = before?.samples ?? [];
  const rate = before && pagesPerSecond(state, before.state);
  if (rate === undefined) return { state, samples };
  const sample = { at: state.at, pagesPerSecond: rate, jobs: sum(state, "drs_queue_jobs") };
  return { state, samples: [...samples, sample].slice(-keptSamples) };
}
