import {
  defaultResource,
  detectResources,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceNameEnvDetector,
} from "@opentelemetry/resources";
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
  type SpanExporter,
} from "@opentelemetry/sdk-trace";
import { randomUUID } from "node:crypto";
import type { Logger } from "pino";
import type { Tracing } from "../domain/ports/tracing.ts";
import type { SamplerSettings, TracingSettings, Protocol } from "./settings.ts";
import { createSpans } from "./spans.ts";
import { createNoopMeter } from "@opentelemetry/api";
import { ExportResultCode } from "@opentelemetry/core";
import { convertLegacyHttpOptions, createOtlpHttpExportDelegate } from "@opentelemetry/otlp-exporter-base/node-http";
import {
  JsonTraceSerializer,
  ProtobufTraceSerializer,
  TraceExporterMetricsHelper,
} from "@opentelemetry/otlp-transformer";

export interface RunningTracing {
  readonly tracing: Tracing;
  /** Sends the remaining spans, within two seconds. */
  close(): Promise<void>;
}

/** How long an ending process waits for its last spans to be sent, milliseconds. */
const closeMs = 2_000;

/** Creates tracing that sends spans to a receiver. The only module that loads the OpenTelemetry SDK. */
export function createTracing(settings: TracingSettings, role: "api" | "worker", log: Logger): RunningTracing {
  const own = resourceFromAttributes({
    "service.name": "drs",
    "service.instance.id": randomUUID(),
    "drs.process.role": role,
  });
  const provider = new TracerProvider({
    // The environment variables take precedence.
    resource: defaultResource()
      .merge(own)
      .merge(detectResources({ detectors: [resourceAttributesEnvDetector, serviceNameEnvDetector] })),
    sampler: createSampler(settings.sampler),
    spanProcessors: [new BatchSpanProcessor({ exporter: createExporter(settings.protocol, log), ...settings.batches })],
  });
  return {
    tracing: createSpans(provider.getTracer("drs"), settings),
    async close() {
      const late = Promise.withResolvers<void>();
      const timer = setTimeout(late.resolve, closeMs);
      await Promise.race([provider.shutdown().catch(() => undefined), late.promise]);
      clearTimeout(timer);
    },
  };
}

/** Decides which traces are kept. */
function createSampler({ kind, ratio, isParentBased }: SamplerSettings): Sampler {
  const root = rootSampler(kind, ratio);
  return isParentBased ? new ParentBasedSampler({ root }) : root;
}

function rootSampler(kind: SamplerSettings["kind"], ratio: number): Sampler {
  switch (kind) {
    case "always_on":
      return new AlwaysOnSampler();
    case "always_off":
      return new AlwaysOffSampler();
    case "traceidratio":
      return new TraceIdRatioBasedSampler(ratio);
  }
}

const formats = {
  "http/protobuf": {
    type: "application/x-protobuf",
    serializer: ProtobufTraceSerializer,
    component: "otlp_http_span_exporter",
  },
  "http/json": {
    type: "application/json",
    serializer: JsonTraceSerializer,
    component: "otlp_http_json_span_exporter",
  },
} as const;

/** Minimum interval between two log lines about spans that cannot be sent. */
const everyMs = 60_000;

/**
 * Exports spans by OTLP over HTTP as configured by `OTEL_EXPORTER_OTLP_…`, and retries temporary failures. Spans that
 * cannot be sent are dropped, which is logged at most once a minute.
 */
function createExporter(protocol: Protocol, log: Logger): SpanExporter {
  const { type, serializer, component } = formats[protocol];
  const options = convertLegacyHttpOptions({}, "TRACES", "v1/traces", { "Content-Type": type });
  const delegate = createOtlpHttpExportDelegate(options, serializer, component, TraceExporterMetricsHelper, {
    getMeter: createNoopMeter,
  });
  let loggedAt: number | undefined;
  let dropped = 0;

  function drop(count: number, reason: string): void {
    dropped += count;
    const now = performance.now();
    if (loggedAt !== undefined && now - loggedAt < everyMs) return;
    loggedAt = now;
    log.warn({ dropped, reason }, "OpenTelemetry spans cannot be sent; they are dropped");
    dropped = 0;
  }

  return {
    export(spans, done) {
      delegate.export(spans, ({ code, error }) => {
        if (code === ExportResultCode.FAILED) drop(spans.length, error?.message ?? "");
        // Already logged above: the processor must not log it again.
        done({ code: ExportResultCode.SUCCESS });
      });
    },
    forceFlush: () => delegate.forceFlush(),
    shutdown: () => delegate.shutdown(),
  };
}
