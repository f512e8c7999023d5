import { describe, expect, test } from "vitest";
import { readTracingSettings } from "./settings.ts";

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318" };
const defaults = {
  protocol: "http/protobuf",
  sampler: { kind: "always_on", isParentBased: true, ratio: 1 },
  takesIncoming: true,
  batches: {
    maxQueueSize: 2_048,
    maxExportBatchSize: 512,
    scheduledDelayMillis: 5_000,
    exportTimeoutMillis: 30_000,
  },
};

describe("tracing is off", () => {
  test.each<[string, Record<string, string>]>([
    ["where nothing is set", {}],
    ["where the endpoint is empty", { OTEL_EXPORTER_OTLP_ENDPOINT: " " }],
    ["where the SDK is", { ...endpoint, OTEL_SDK_DISABLED: "TRUE" }],
    ["where nothing is to be exported", { ...endpoint, OTEL_TRACES_EXPORTER: "none" }],
    ["where another exporter is named", { ...endpoint, OTEL_TRACES_EXPORTER: "zipkin, console" }],
    ["where other signals alone have an endpoint", { OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: "http://collector:4318" }],
  ])("%s", (_where, env) => {
    expect(readTracingSettings(env)).toEqual({ settings: undefined, warnings: [] });
  });

  test.each<[string, Record<string, string>, RegExp]>([
    [
      "an address without a protocol",
      { OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4317" },
      /not an http or https address/,
    ],
    ["a protocol that drs does not speak", { ...endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" }, /http\/protobuf or/],
  ])("and the log says why: %s", (_what, env, warning) => {
    const { settings, warnings } = readTracingSettings(env);
    expect(settings).toBeUndefined();
    expect(warnings).toEqual([expect.stringMatching(warning)]);
  });
});

describe("tracing is on", () => {
  test.each<[Record<string, string>, object]>([
    [endpoint, {}],
    [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "https://collector/v1/traces" }, {}],
    [{ ...endpoint, OTEL_TRACES_EXPORTER: "otlp", OTEL_SDK_DISABLED: "false" }, {}],
    [{ ...endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: "http/json" }, { protocol: "http/json" }],
    [
      {
        ...endpoint,
        OTEL_EXPORTER_OTLP_PROTOCOL: "grpc",
        OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: "http/json",
      },
      { protocol: "http/json" },
    ],
    [{ ...endpoint, OTEL_PROPAGATORS: "baggage,tracecontext" }, {}],
    [{ ...endpoint, OTEL_PROPAGATORS: "b3" }, { takesIncoming: false }],
    [
      { ...endpoint, OTEL_TRACES_SAMPLER: "traceidratio", OTEL_TRACES_SAMPLER_ARG: "0.25" },
      { sampler: { kind: "traceidratio", isParentBased: false, ratio: 0.25 } },
    ],
    [
      { ...endpoint, OTEL_TRACES_SAMPLER: "parentbased_traceidratio" },
      { sampler: { kind: "traceidratio", isParentBased: true, ratio: 1 } },
    ],
    [
      { ...endpoint, OTEL_BSP_MAX_QUEUE_SIZE: "100", OTEL_BSP_SCHEDULE_DELAY: "50" },
      {
        batches: { ...defaults.batches, maxQueueSize: 100, maxExportBatchSize: 100, scheduledDelayMillis: 50 },
      },
    ],
  ])("%o", (env, different) => {
    expect(readTracingSettings(env)).toEqual({ settings: { ...defaults, ...different }, warnings: [] });
  });

  test.each<[Record<string, string>, RegExp]>([
    [{ OTEL_TRACES_SAMPLER: "jaeger_remote" }, /OTEL_TRACES_SAMPLER must be one of always_on,/],
    [{ OTEL_TRACES_SAMPLER: "traceidratio", OTEL_TRACES_SAMPLER_ARG: "25%" }, /from 0 to 1, not "25%"/],
    [{ OTEL_BSP_MAX_QUEUE_SIZE: "1000000" }, /OTEL_BSP_MAX_QUEUE_SIZE must be a whole number from 1 to 65536/],
  ])("and the log says what is passed over: %o", (env, warning) => {
    const { settings, warnings } = readTracingSettings({ ...endpoint, ...env });
    expect(warnings).toEqual([expect.stringMatching(warning)]);
    expect(settings?.batches).toEqual(defaults.batches);
    expect(settings?.sampler.ratio).toBe(1);
  });
});
