import type { Logger } from "pino";
import { noTracing } from "../domain/ports/tracing.ts";
import type { RunningTracing } from "./provider.ts";
import { readTracingSettings } from "./settings.ts";

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
