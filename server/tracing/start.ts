import type { Logger } from "pino";
import { noTracing, type Tracing } from "../domain/ports/tracing.ts";
import type { RunningTracing } from "./provider.ts";
import { readTracingSettings } from "./settings.ts";
import type { BlobStore } from "../domain/ports/blobs.ts";

interface Options {
  /** The process that the spans belong to. */
  readonly role: "api" | "worker";
  readonly log: Logger;
  /** By default that of the process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** Starts tracing as the environment configures it. Without a receiver the OpenTelemetry SDK is not loaded. */
export async function startTracing({ role, log, env = process.env }: Options): Promise<RunningTracing> {
  const { settings, warnings } = readTracingSettings(env);
  for (const warning of warnings) log.warn(warning);
  if (settings === undefined) return { tracing: noTracing, close: async () => undefined };
  const { createTracing } = await import("./provider.ts");
  return createTracing(settings, role, log);
}

/**
 * Wraps the store so that transfers are children of the active span. The span of `get` ends when the bytes begin.
 */
export function traceBlobs(blobs: BlobStore, tracing: Tracing): BlobStore {
  return {
    ...blobs,
    put: (...input) => tracing.span("blobs put", {}, () => blobs.put(...input)),
    get: (...input) => tracing.span("blobs get", {}, () => blobs.get(...input)),
    asFile: (...input) => tracing.span("blobs asFile", {}, () => blobs.asFile(...input)),
    assemble: (...input) => tracing.span("blobs assemble", {}, () => blobs.assemble(...input)),
  };
}
