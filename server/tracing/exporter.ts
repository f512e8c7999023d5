import { createNoopMeter } from "@opentelemetry/api";
import { ExportResultCode } from "@opentelemetry/core";
import { convertLegacyHttpOptions, createOtlpHttpExportDelegate } from "@opentelemetry/otlp-exporter-base/node-http";
import {
  JsonTraceSerializer,
  ProtobufTraceSerializer,
  TraceExporterMetricsHelper,
} from "@opentelemetry/otlp-transformer";
import type { SpanExporter } from "@opentelemetry/sdk-trace";
import type { Logger } from "pino";
import type { Protocol } from "./settings.ts";

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
 * Exports spans by OTLP over HTTP as `OTEL_EXPORTER_OTLP_…` configure, and retries temporary failures. Spans that
 * cannot be sent are dropped, which is logged at most once a minute.
 */
export function createExporter(protocol: Protocol, log: Logger): SpanExporter {
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
