/** What `GET /operator/state` answers; times are milliseconds. */
export interface State {
  readonly at: number;
  readonly metrics: readonly Metric[];
  /** Unfinished, those first that were created first. */
  readonly jobs: readonly QueuedJob[];
  readonly readiness: Readiness;
}

export interface Readiness {
  readonly ready: boolean;
  /** What is wrong with each part, or "ok". */
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

/** Undefined if the answer is another one: of a server of another version. */
export function parseState(answer: unknown): State | undefined {
  if (!isRecord(answer) || typeof answer["at"] !== "number") return undefined;
  const { at, metrics, jobs, readiness } = answer;
  if (!Array.isArray(metrics) || !Array.isArray(jobs) || !isReadiness(readiness)) return undefined;
  return metrics.every(isMetric) && jobs.every(isJob) ? { at, metrics, jobs, readiness } : undefined;
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

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

/** All metrics of a name, of those with these labels. */
export const named = ({ metrics }: State, name: string, labels: Metric["labels"] = {}): readonly Metric[] =>
  metrics.filter(
    (metric) => metric.name === name && Object.entries(labels).every(([key, text]) => metric.labels[key] === text),
  );

/** 0 where there is none. */
export const sum = (state: State, name: string, labels?: Metric["labels"]): number =>
  named(state, name, labels).reduce((sum, { value }) => sum + value, 0);

/** Pages read per second between two states of one server; undefined where it was started anew, or no time has passed. */
export function pagesPerSecond(state: State, before: State): number | undefined {
  const seconds = (state.at - before.at) / 1000;
  const read = (at: State): number => sum(at, "drs_pages_total", { stage: "read" });
  const pages = read(state) - read(before);
  return seconds > 0 && pages >= 0 ? pages / seconds : undefined;
}
