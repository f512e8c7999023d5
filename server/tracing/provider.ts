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
} from "@opentelemetry/sdk-trace";
import { randomUUID } from "node:crypto";
import type { Logger } from "pino";
import type { Tracing } from "../domain/ports/tracing.ts";
import { createExporter } from "./exporter.ts";
import type { SamplerSettings, TracingSettings } from "./settings.ts";
import { createSpans } from "./spans.ts";

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
