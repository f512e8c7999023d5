import pino, { type Logger } from "pino";
import type { LogLevel } from "./config.ts";

/** Structured log lines on stderr: stdout belongs to what commands answer. */
export function createLog(level: LogLevel, process: "api" | "worker"): Logger {
  return pino(
    {
      level,
      base: { process },
      // Whoever logs a request or a setting by mistake must not log what opens it.
      redact: { paths: ["apiKey", "token", "key", "*.apiKey", "*.token", 'headers["x-api-key"]'], censor: "[secret]" },
    },
    pino.destination({ fd: 2, sync: true }),
  );
}
