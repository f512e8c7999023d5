import type { Logger } from "pino";
import { noTracing } from "../domain/ports/tracing.ts";
import type { RunningTracing } from "./provider.ts";
import { readTracingSettings } from "./settings.ts";

interface Options {
  /** Whose spans they are. */
  readonly role: "api" | "worker";
  readonly log: Logger;
  /** Default: that of the process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** Tracing as the environment asks for it. Without a receiver nothing of OpenTelemetry's SDK is loaded. */
export async function startTracing({ role, log, env = process.env }: Options): Promise<RunningTracing> {
  const { settings, warnings } = readTracingSettings(env);
  for (const warning of warnings) log.warn(warning);
  if (settings === undefined) return { tracing: noTracing, close: async () => undefined };
  const { createTracing } = await import("./provider.ts");
  return createTracing(settings, role, log);
}
