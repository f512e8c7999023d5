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

/** How often it is said that spans cannot be sent. */
const everyMs = 60_000;

/**
 * Sends spans by OTLP over HTTP to where `OTEL_EXPORTER_OTLP_…` say, and tries again what may pass. Spans that cannot be sent
 * are dropped, which the log says at most once a minute.
 */
export function createExporter(protocol: Protocol, log: Logger): SpanExporter {
  const { type, serializer, component } = formats[protocol];
  const options = convertLegacyHttpOptions({}, "TRACES", "v1/traces", { "Content-Type": type });
  const delegate = createOtlpHttpExportDelegate(options, serializer, component, TraceExporterMetricsHelper, {
    getMeter: createNoopMeter,
  });
  let saidAt: number | undefined;
  let dropped = 0;

  function drop(count: number, reason: string): void {
    dropped += count;
    const now = performance.now();
    if (saidAt !== undefined && now - saidAt < everyMs) return;
    saidAt = now;
    log.warn({ dropped, reason }, "OpenTelemetry spans cannot be sent; they are dropped");
    dropped = 0;
  }

  return {
    export(spans, done) {
      delegate.export(spans, ({ code, error }) => {
        if (code === ExportResultCode.FAILED) drop(spans.length, error?.message ?? "");
        // Said above: the processor must not say it again.
        done({ code: ExportResultCode.SUCCESS });
      });
    },
    forceFlush: () => delegate.forceFlush(),
    shutdown: () => delegate.shutdown(),
  };
}
