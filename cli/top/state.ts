/** The response of `GET /operator/state`; times are milliseconds. */
export interface State {
  readonly at: number;
  readonly metrics: readonly Metric[];
  readonly jobs: readonly QueuedJob[];
}

export interface Metric {
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
