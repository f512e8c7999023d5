/** Settings of tracing from `OTEL_…` variables, except those that the exporter reads itself. */
export interface TracingSettings {
  readonly protocol: Protocol;
  readonly sampler: SamplerSettings;
  /** Whether the `traceparent` of requests is used. */
  readonly takesIncoming: boolean;
  readonly batches: BatchSettings;
}

export type Protocol = (typeof protocols)[number];
const protocols = ["http/protobuf", "http/json"] as const;

export interface SamplerSettings {
  readonly kind: "always_on" | "always_off" | "traceidratio";
  /** Share of new traces that is kept; 0..1. */
  readonly ratio: number;
  /** Whether a trace from elsewhere keeps its sampling decision. */
  readonly isParentBased: boolean;
}

export interface BatchSettings {
  /** Maximum number of spans that wait for the receiver; further ones are dropped. */
  readonly maxQueueSize: number;
  readonly maxExportBatchSize: number;
  readonly scheduledDelayMillis: number;
  readonly exportTimeoutMillis: number;
}

/** Documented variables of tracing; there are more, which the exporter reads: docs/how-to/tracing.md. */
export const tracingVariables = [
  {
    name: "OTEL_EXPORTER_OTLP_ENDPOINT",
    description:
      "where OpenTelemetry spans are sent, by OTLP over HTTP, such as http://localhost:4318; unset: none are made",
  },
  {
    name: "OTEL_EXPORTER_OTLP_HEADERS",
    description: "headers of what is sent there, such as authorization=Bearer%20TOKEN",
  },
  {
    name: "OTEL_TRACES_SAMPLER_ARG",
    description: "share of traces that OTEL_TRACES_SAMPLER=parentbased_traceidratio keeps",
  },
] as const;

type Environment = Readonly<Record<string, string | undefined>>;

export interface ReadTracing {
  /** Undefined if tracing is off. */
  readonly settings: TracingSettings | undefined;
  /** Values that cannot be honoured, with advice. */
  readonly warnings: readonly string[];
}

/**
 * Reads the variables as OpenTelemetry specifies
 * (https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/): a value that cannot be
 * honoured causes a warning and is ignored, and an empty one counts as unset.
 */
export function readTracingSettings(env: Environment): ReadTracing {
  if (!isOn(env)) return { settings: undefined, warnings: [] };
  const warnings: string[] = [];
  const endpoint = text(env, "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") ?? text(env, "OTEL_EXPORTER_OTLP_ENDPOINT") ?? "";
  if (!/^https?:\/\//i.test(endpoint) || !URL.canParse(endpoint)) {
    warnings.push(
      "the OTLP endpoint is not an http or https address, so no spans are sent: set OTEL_EXPORTER_OTLP_ENDPOINT",
    );
    return { settings: undefined, warnings };
  }
  const protocol =
    text(env, "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL") ?? text(env, "OTEL_EXPORTER_OTLP_PROTOCOL") ?? "http/protobuf";
  if (!isProtocol(protocol)) {
    const known = protocols.join(" or ");
    warnings.push(
      `drs does not speak the OTLP protocol ${JSON.stringify(protocol)}, so no spans are sent: set OTEL_EXPORTER_OTLP_TRACES_PROTOCOL to ${known}, and the endpoint to the receiver's port for HTTP (4318)`,
    );
    return { settings: undefined, warnings };
  }
  const propagators = (text(env, "OTEL_PROPAGATORS") ?? "tracecontext").split(",").map((name) => name.trim());
  return {
    settings: {
      protocol,
      sampler: samplerOf(env, warnings),
      takesIncoming: propagators.includes("tracecontext"),
      batches: batchesOf(env, warnings),
    },
    warnings,
  };
}

function isOn(env: Environment): boolean {
  if (env["OTEL_SDK_DISABLED"]?.trim().toLowerCase() === "true") return false;
  const exporters = (text(env, "OTEL_TRACES_EXPORTER") ?? "otlp").split(",").map((name) => name.trim());
  if (!exporters.includes("otlp")) return false;
  return ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"].some((name) => text(env, name));
}

const samplers: Readonly<Record<string, Omit<SamplerSettings, "ratio">>> = {
  always_on: { kind: "always_on", isParentBased: false },
  always_off: { kind: "always_off", isParentBased: false },
  traceidratio: { kind: "traceidratio", isParentBased: false },
  parentbased_always_on: { kind: "always_on", isParentBased: true },
  parentbased_always_off: { kind: "always_off", isParentBased: true },
  parentbased_traceidratio: { kind: "traceidratio", isParentBased: true },
};
const defaultSampler: SamplerSettings = { kind: "always_on", isParentBased: true, ratio: 1 };

function samplerOf(env: Environment, warnings: string[]): SamplerSettings {
  const name = text(env, "OTEL_TRACES_SAMPLER");
  if (name === undefined) return defaultSampler;
  const sampler = samplers[name];
  if (sampler === undefined) {
    const known = Object.keys(samplers).join(", ");
    warnings.push(`OTEL_TRACES_SAMPLER must be one of ${known}, not ${JSON.stringify(name)}; every trace is kept`);
    return defaultSampler;
  }
  const given = text(env, "OTEL_TRACES_SAMPLER_ARG");
  const ratio = Number(given ?? 1);
  const isRatio = ratio >= 0 && ratio <= 1;
  if (sampler.kind === "traceidratio" && !isRatio) {
    warnings.push(`OTEL_TRACES_SAMPLER_ARG must be from 0 to 1, not ${JSON.stringify(given)}; every trace is kept`);
  }
  return { ...sampler, ratio: isRatio ? ratio : 1 };
}

/** The defaults of the specification. */
const batchDefaults = {
  OTEL_BSP_MAX_QUEUE_SIZE: 2_048,
  OTEL_BSP_MAX_EXPORT_BATCH_SIZE: 512,
  OTEL_BSP_SCHEDULE_DELAY: 5_000,
  OTEL_BSP_EXPORT_TIMEOUT: 30_000,
} as const;
/** Maximum number of spans in memory, some 100 MB, whatever the variables say. */
const maxQueue = 65_536;

function batchesOf(env: Environment, warnings: string[]): BatchSettings {
  const number = (name: keyof typeof batchDefaults, max: number): number => {
    const given = text(env, name);
    const value = Number(given ?? batchDefaults[name]);
    if (Number.isInteger(value) && value >= 1 && value <= max) return value;
    warnings.push(`${name} must be a whole number from 1 to ${max}; ${batchDefaults[name]} is taken`);
    return batchDefaults[name];
  };
  const maxQueueSize = number("OTEL_BSP_MAX_QUEUE_SIZE", maxQueue);
  return {
    maxQueueSize,
    maxExportBatchSize: Math.min(number("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", maxQueue), maxQueueSize),
    scheduledDelayMillis: number("OTEL_BSP_SCHEDULE_DELAY", 3_600_000),
    exportTimeoutMillis: number("OTEL_BSP_EXPORT_TIMEOUT", 3_600_000),
  };
}

const isProtocol = (name: string): name is Protocol => protocols.some((known) => known === name);

function text(env: Environment, name: string): string | undefined {
  const value = env[name]?.trim();
  return value === "" ? undefined : value;
}
