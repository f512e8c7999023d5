import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import { SpanStatusCode } from "@opentelemetry/api";
import { beforeEach, expect, test } from "vitest";
import { notFound } from "../domain/errors.ts";
import type { Tracing } from "../domain/ports/tracing.ts";
import { createSpans } from "./spans.ts";

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const traceparent = `00-${traceId}-00f067aa0ba902b7-01`;

let exporter: InMemorySpanExporter;
let tracing: Tracing;
beforeEach(() => {
  exporter = new InMemorySpanExporter();
  const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });
  tracing = createSpans(provider.getTracer("test"), { takesIncoming: true });
});

const spans = () => exporter.getFinishedSpans();
const spanNamed = (name: string) => spans().find((span) => span.name === name);
const pause = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("overlapping work belongs to the span that it began in", async () => {
  const inRequest = (title: string): Promise<void> => {
    const request = tracing.request({});
    return request.run(async () => {
      await pause();
      await tracing.span("search rows", {}, pause);
      request.end({ name: title, attributes: {}, isFault: false });
    });
  };
  await Promise.all([inRequest("one"), inRequest("other")]);
  const rows = spans().filter(({ name }) => name === "search rows");
  expect(new Set(rows.map(({ parentSpanContext }) => parentSpanContext?.spanId))).toEqual(
    new Set(["one", "other"].map((title) => spanNamed(title)?.spanContext().spanId)),
  );
  expect(spanNamed("one")?.spanContext().traceId).not.toBe(spanNamed("other")?.spanContext().traceId);
});

test("a child can be added to a span that is not the active one", async () => {
  let add: (() => void) | undefined;
  await tracing.goOn(traceparent, "job extract", { attempt: 2 }, async (job) => {
    expect(job.traceId).toBe(traceId);
    const startedAt = performance.now();
    add = () => job.add("read page", { page: 7, reason: "time" }, startedAt);
  });
  add?.();
  const [job, page] = [spanNamed("job extract"), spanNamed("read page")];
  expect(page?.parentSpanContext?.spanId).toBe(job?.spanContext().spanId);
  expect(page?.attributes).toEqual({ "drs.page": 7, "error.type": "time" });
  expect(page?.status).toEqual({ code: SpanStatusCode.ERROR });
  expect(job?.attributes).toEqual({ "drs.job.attempt": 2 });
});

test("a trace is passed on and continued", async () => {
  expect(tracing.traceparent()).toBeNull();
  const request = tracing.request({ traceparent, tracestate: "vendor=1" });
  const handedOn = request.run(() => tracing.traceparent());
  request.end({ name: "request", attributes: {}, isFault: false });
  expect(handedOn).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-01$`));
  await tracing.goOn(handedOn, "job extract", {}, pause);
  expect(spanNamed("job extract")?.parentSpanContext?.spanId).toBe(spanNamed("request")?.spanContext().spanId);
});

test.each([
  "nonsense",
  `00-${traceId}-0000000000000000-01`,
  `00-${"0".repeat(32)}-00f067aa0ba902b7-01`,
  `${traceparent}-more`,
  `ff-${traceId}-00f067aa0ba902b7-01`,
])("a header that is no trace begins a new one: %s", (header) => {
  const request = tracing.request({ traceparent: header });
  expect(request.traceId).toMatch(/^[0-9a-f]{32}$/);
  expect(request.traceId).not.toBe(traceId);
});

test("a trace that its caller does not sample is not sampled here, nor is its job", async () => {
  const request = tracing.request({ traceparent: traceparent.replace(/01$/, "00") });
  const handedOn = request.run(() => tracing.traceparent());
  request.end({ name: "request", attributes: {}, isFault: false });
  expect(handedOn).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-00$`));
  await tracing.goOn(handedOn, "job extract", {}, pause);
  expect(spans()).toEqual([]);
});

test("a failure records its kind, and not its sentence", async () => {
  const fail = (cause: Error): Promise<unknown> =>
    tracing.goOn(null, "job extract", {}, () => Promise.reject(cause)).catch((thrown: unknown) => thrown);
  const refusal = notFound("there is no dataset heron");
  expect(await fail(refusal)).toBe(refusal);
  await fail(new RangeError("heron"));
  expect(spans().map(({ attributes, status, events }) => ({ attributes, status, events }))).toEqual([
    { attributes: { "error.type": "not_found" }, status: { code: SpanStatusCode.ERROR }, events: [] },
    { attributes: { "error.type": "RangeError" }, status: { code: SpanStatusCode.ERROR }, events: [] },
  ]);
});

test("work outside of any trace runs without a span", async () => {
  expect(await tracing.span("blobs get", {}, async () => 7)).toBe(7);
  tracing.add("search turn", {}, performance.now());
  expect(spans()).toEqual([]);
});
