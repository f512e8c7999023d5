import {
  type Context,
  defaultTextMapGetter,
  ROOT_CONTEXT,
  type Span as SdkSpan,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer,
} from "@opentelemetry/api";
import { W3CTraceContextPropagator } from "@opentelemetry/core";
import { AsyncLocalStorage } from "node:async_hooks";
import { DomainError } from "../domain/errors.ts";
import {
  noSpan,
  type Span,
  type SpanFacts,
  type SpanName,
  type TraceHeaders,
  type Tracing,
} from "../domain/ports/tracing.ts";

const propagator = new W3CTraceContextPropagator();

/** Kinds of spans for work on behalf of others: of a request, of the API process, of the creator of a job. */
const kinds: Readonly<Partial<Record<SpanName, SpanKind>>> = {
  "job extract": SpanKind.CONSUMER,
  "job vectorize": SpanKind.CONSUMER,
  "worker render": SpanKind.SERVER,
  "worker highlight": SpanKind.SERVER,
  "worker embedQuery": SpanKind.SERVER,
  "worker tryPack": SpanKind.SERVER,
};

/** Creates spans with a tracer. The active span is kept in asynchronous context; nothing is registered globally. */
export function createSpans(tracer: Tracer, { takesIncoming }: { readonly takesIncoming: boolean }): Tracing {
  const atWork = new AsyncLocalStorage<Context>();

  async function within<Result>(
    parent: Context,
    name: SpanName,
    facts: SpanFacts,
    work: (span: Span) => Promise<Result>,
  ): Promise<Result> {
    const options = { kind: kinds[name] ?? SpanKind.INTERNAL, attributes: attributesOf(facts) };
    const span = tracer.startSpan(name, options, parent);
    const context = trace.setSpan(parent, span);
    try {
      return await atWork.run(context, () => work(handleOf(span, context)));
    } catch (cause) {
      fail(span, reasonOf(cause));
      throw cause;
    } finally {
      span.end();
    }
  }

  function add(parent: Context, name: SpanName, facts: SpanFacts, startedAt: number): void {
    const startTime = performance.timeOrigin + startedAt;
    const span = tracer.startSpan(name, { startTime, attributes: attributesOf(facts) }, parent);
    if (facts.reason !== undefined) fail(span, facts.reason);
    span.end();
  }

  function handleOf(span: SdkSpan, context: Context): Span {
    return {
      traceId: span.spanContext().traceId,
      note: (facts) => void span.setAttributes(attributesOf(facts)),
      fail: (reason) => fail(span, reason),
      span: (name, facts, work) => within(context, name, facts, work),
      add: (name, facts, startedAt) => add(context, name, facts, startedAt),
    };
  }

  return {
    request(incoming) {
      const parent = takesIncoming ? contextOf(incoming) : ROOT_CONTEXT;
      // Its name and its attributes are known only at its end.
      const span = tracer.startSpan("request", { kind: SpanKind.SERVER }, parent);
      const context = trace.setSpan(parent, span);
      return {
        traceId: span.spanContext().traceId,
        run: (work) => atWork.run(context, work),
        end({ name, attributes, isFault }) {
          span.updateName(name).setAttributes({ ...attributes });
          if (isFault) span.setStatus({ code: SpanStatusCode.ERROR });
          span.end();
        },
      };
    },
    goOn(traceparent, name, facts, work) {
      const parent = traceparent === null ? ROOT_CONTEXT : contextOf({ traceparent });
      return within(parent, name, facts, work);
    },
    span(name, facts, work) {
      const context = atWork.getStore();
      return context === undefined ? work(noSpan) : within(context, name, facts, work);
    },
    add(name, facts, startedAt) {
      const context = atWork.getStore();
      if (context !== undefined) add(context, name, facts, startedAt);
    },
    traceparent() {
      const context = atWork.getStore();
      if (context === undefined) return null;
      const headers: { traceparent?: string } = {};
      propagator.inject(context, headers, {
        set(carrier, key, value) {
          if (key === "traceparent") carrier.traceparent = value;
        },
      });
      return headers.traceparent ?? null;
    },
  };
}

const contextOf = (headers: TraceHeaders): Context => propagator.extract(ROOT_CONTEXT, headers, defaultTextMapGetter);

function fail(span: SdkSpan, reason: string): void {
  span.setStatus({ code: SpanStatusCode.ERROR }).setAttribute("error.type", reason);
}

/** Messages quote what callers have sent, so only the kind of an error is recorded. */
function reasonOf(cause: unknown): string {
  if (cause instanceof DomainError) return cause.kind;
  return cause instanceof Error ? cause.name : "unknown";
}

/** Names of span attributes by fact. A fact without a name here is not recorded. */
const names: { readonly [Fact in keyof Required<SpanFacts>]: string } = {
  workspaceId: "drs.workspace.id",
  datasetId: "drs.dataset.id",
  jobId: "drs.job.id",
  page: "drs.page",
  row: "drs.item.row",
  pages: "drs.pages",
  failedPages: "drs.pages.failed",
  unshownPages: "drs.pages.unshown",
  pack: "drs.model.pack",
  attempt: "drs.job.attempt",
  waitedMs: "drs.job.waited_ms",
  outcome: "drs.job.outcome",
  // From OpenTelemetry's conventions.
  reason: "error.type",
};

const isFact = (name: string): name is keyof SpanFacts => name in names;

function attributesOf(facts: SpanFacts): Record<string, string | number> {
  const attributes: Record<string, string | number> = {};
  for (const fact of Object.keys(facts).filter(isFact)) {
    const value = facts[fact];
    if (value !== undefined) attributes[names[fact]] = value;
  }
  return attributes;
}
