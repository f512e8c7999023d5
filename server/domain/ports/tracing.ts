import type { DatasetId, JobId, WorkspaceId } from "../ids.ts";
import type { RenditionRow } from "../items/item.ts";
import type { SearchPart } from "./meter.ts";

/** What one request causes, as spans in time: of the request itself, of parts of its work, of the jobs that it creates. */
export interface Tracing {
  /** Begins the span of a request, in the trace that its headers name; in a new one if they name none. */
  request(incoming: TraceHeaders): RequestSpan;
  /**
   * Does the work in a span that goes on with the trace of a `traceparent`, of another process or of an earlier time; in a
   * new trace if it is null.
   */
  goOn<Result>(
    traceparent: string | null,
    name: SpanName,
    facts: SpanFacts,
    work: (span: Span) => Promise<Result>,
  ): Promise<Result>;
  /** Does the work in a part of the span at work here; without one it is only done. */
  span<Result>(name: SpanName, facts: SpanFacts, work: (span: Span) => Promise<Result>): Promise<Result>;
  /** Adds a part to the span at work here that has ended now; `startedAt` as `performance.now()` says it. */
  add(name: SpanName, facts: SpanFacts, startedAt: number): void;
  /** The span at work here, in the form of the W3C header of that name; null: there is none. */
  traceparent(): string | null;
}

/** As requests have them: W3C Trace Context, https://www.w3.org/TR/trace-context/. */
export interface TraceHeaders {
  readonly traceparent?: string | undefined;
  readonly tracestate?: string | undefined;
}

/** The span of a request, from its headers to the end of its answer. */
export interface RequestSpan {
  /** 32 hexadecimal digits; undefined: there is no trace. */
  readonly traceId: string | undefined;
  /** Does what the request asks for: spans in it are parts of this one. */
  run<Result>(work: () => Result): Result;
  end(end: RequestEnd): void;
}

/** What became of a request. Attributes are by the semantic conventions of OpenTelemetry. */
export interface RequestEnd {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string | number>>;
  /** Whether the server is at fault. */
  readonly isFault: boolean;
}

/** The span of a piece of work while that is done. A piece that throws has failed; no message of an error is kept. */
export interface Span {
  /** 32 hexadecimal digits; undefined: there is no trace. */
  readonly traceId: string | undefined;
  note(facts: SpanFacts): void;
  /** The work has failed, though it does not throw. */
  fail(reason: string): void;
  /** Does the work in a part of this span, also where the one at work is another or not known. */
  span<Result>(name: SpanName, facts: SpanFacts, work: (span: Span) => Promise<Result>): Promise<Result>;
  /** Adds a part that has ended now; `startedAt` as `performance.now()` says it. */
  add(name: SpanName, facts: SpanFacts, startedAt: number): void;
}

export type SpanName =
  | `search ${SearchPart}`
  | `blobs ${"get" | "asFile" | "put" | "assemble"}`
  | `worker ${"render" | "highlight" | "embedQuery" | "tryPack"}`
  | "wait for page"
  | "draw page"
  | `job ${"extract" | "vectorize"}`
  | "reembed"
  | Stage
  | PageSpan
  | "index pages";

type Stage = `stage ${"fetch" | "convert" | "count" | "read" | "compare" | "render" | "embed"}`;
export type PageSpan = `${"read" | "render" | "embed"} page`;

/**
 * All that spans say beside their names: ids of drs, numbers, and words of which there are few. Never what documents or
 * questions say, names of files, keys, tokens or addresses.
 */
export interface SpanFacts {
  readonly workspaceId?: WorkspaceId;
  readonly datasetId?: DatasetId;
  readonly jobId?: JobId;
  /** Beginning with 1; 0 is the opening of the document. */
  readonly page?: number;
  readonly row?: RenditionRow;
  /** Pages that the span is about, and those of them that failed. */
  readonly pages?: number;
  readonly failedPages?: number;
  /** Pages that have no span of their own, because there would be too many. */
  readonly unshownPages?: number;
  /** `id@version` of a model pack. */
  readonly pack?: string;
  /** How often the job was tried, this time included. */
  readonly attempt?: number;
  /** From the creation of the job to this claim, milliseconds. */
  readonly waitedMs?: number;
  /** What a claim of a job came to. */
  readonly outcome?: "succeeded" | "failed" | "retried" | "given back" | "lost";
  /** Why something failed, as metrics say it. */
  readonly reason?: string;
}

/** Work without a trace. */
export const noSpan: Span = {
  traceId: undefined,
  note: () => undefined,
  fail: () => undefined,
  span: (_name, _facts, work) => work(noSpan),
  add: () => undefined,
};

export const noRequestSpan: RequestSpan = { traceId: undefined, run: (work) => work(), end: () => undefined };

/** For when nobody receives spans. */
export const noTracing: Tracing = {
  request: () => noRequestSpan,
  goOn: (_traceparent, _name, _facts, work) => work(noSpan),
  span: (_name, _facts, work) => work(noSpan),
  add: () => undefined,
  traceparent: () => null,
};
