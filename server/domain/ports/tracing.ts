import type { DatasetId, JobId, WorkspaceId } from "../ids.ts";
import type { RenditionRow } from "../items/item.ts";
import type { SearchPart } from "./meter.ts";

/** Traces requests as spans: the request itself, parts of its work, and the jobs that it creates. */
export interface Tracing {
  /** Begins the span of a request, in the trace of its headers, or in a new one if they have none. */
  request(incoming: TraceHeaders): RequestSpan;
  /**
   * Runs the work in a span that continues the trace of a `traceparent`, from another process or an earlier time;
   * in a new trace if it is null.
   */
  goOn<Result>(
    traceparent: string | null,
    name: SpanName,
    facts: SpanFacts,
    work: (span: Span) => Promise<Result>,
  ): Promise<Result>;
  /** Runs the work in a child of the active span; without an active span, it only runs the work. */
  span<Result>(name: SpanName, facts: SpanFacts, work: (span: Span) => Promise<Result>): Promise<Result>;
  /** Adds a child to the active span that has ended now; `startedAt` is a `performance.now()`. */
  add(name: SpanName, facts: SpanFacts, startedAt: number): void;
  /** The active span as a `traceparent` header (W3C); null if there is none. */
  traceparent(): string | null;
}

/** Request headers of W3C Trace Context, https://www.w3.org/TR/trace-context/. */
export interface TraceHeaders {
  readonly traceparent?: string | undefined;
  readonly tracestate?: string | undefined;
}

/** The span of a request, from its headers to the end of its answer. */
export interface RequestSpan {
  /** 32 hexadecimal digits; undefined if there is no trace. */
  readonly traceId: string | undefined;
  /** Runs the request's work; spans in it are children of this one. */
  run<Result>(work: () => Result): Result;
  end(end: RequestEnd): void;
}

/** The outcome of a request. Attributes follow the semantic conventions of OpenTelemetry. */
export interface RequestEnd {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string | number>>;
  /** Whether the server is at fault. */
  readonly isFault: boolean;
}

/** The span of a piece of work. If the work throws, it has failed; no error message is recorded. */
export interface Span {
  /** 32 hexadecimal digits; undefined if there is no trace. */
  readonly traceId: string | undefined;
  note(facts: SpanFacts): void;
  /** Marks the work as failed, though it does not throw. */
  fail(reason: string): void;
  /** Runs the work in a child of this span, even if another span is active, or none. */
  span<Result>(name: SpanName, facts: SpanFacts, work: (span: Span) => Promise<Result>): Promise<Result>;
  /** Adds a child that has ended now; `startedAt` is a `performance.now()`. */
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
 * Attributes of spans: ids of drs, numbers, and words from small sets. Never the content of documents or queries,
 * file names, keys, tokens or addresses.
 */
export interface SpanFacts {
  readonly workspaceId?: WorkspaceId;
  readonly datasetId?: DatasetId;
  readonly jobId?: JobId;
  /** Beginning with 1; 0 is the opening of the document. */
  readonly page?: number;
  readonly row?: RenditionRow;
  /** Pages that the span covers, and how many of them failed. */
  readonly pages?: number;
  readonly failedPages?: number;
  /** Number of pages without a span of their own, because there would be too many. */
  readonly unshownPages?: number;
  /** `id@version` of a model pack. */
  readonly pack?: string;
  /** Number of this try of the job, from 1. */
  readonly attempt?: number;
  /** From the creation of the job to this claim, milliseconds. */
  readonly waitedMs?: number;
  /** The outcome of a claim. */
  readonly outcome?: "succeeded" | "failed" | "retried" | "given back" | "lost";
  /** The reason of a failure, as in metrics. */
  readonly reason?: string;
}

/** A span that records nothing. */
export const noSpan: Span = {
  traceId: undefined,
  note: () => undefined,
  fail: () => undefined,
  span: (_name, _facts, work) => work(noSpan),
  add: () => undefined,
};

export const noRequestSpan: RequestSpan = { traceId: undefined, run: (work) => work(), end: () => undefined };

/** Used if nobody receives spans. */
export const noTracing: Tracing = {
  request: () => noRequestSpan,
  goOn: (_traceparent, _name, _facts, work) => work(noSpan),
  span: (_name, _facts, work) => work(noSpan),
  add: () => undefined,
  traceparent: () => null,
};
