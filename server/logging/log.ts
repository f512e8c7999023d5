import { openSync, statSync } from "node:fs";
import { isatty } from "node:tty";
import pino, { type DestinationStream, type Logger } from "pino";
import type { LogLevel } from "../settings/settings.ts";
import { logText } from "./log-text.ts";

/** Beyond that a log file begins anew: the logs of commands are not rotated otherwise. */
const maxFileBytes = 2 ** 20;

/** What waits in memory while a log cannot be written. */
const maxUnwrittenBytes = 2 ** 18;

/**
 * Log lines, on stderr by default: stdout belongs to what commands answer. On a terminal they are text, everywhere else
 * one JSON object each.
 */
export function createLog(level: LogLevel, process: "api" | "worker" | "supervisor", fd = 2): Logger {
  const destination = pino.destination({ fd, sync: true, maxLength: maxUnwrittenBytes });
  // Without a listener a full disk would end the process. What cannot be written waits, and is dropped when it is too much.
  destination.on("error", () => undefined);
  return pino(
    {
      level,
      base: { process },
      // A request or a setting that is logged by mistake must not reveal a credential.
      redact: { paths: ["apiKey", "token", "key", "*.apiKey", "*.token", 'headers["x-api-key"]'], censor: "[secret]" },
    },
    isatty(fd) ? asText(destination) : destination,
  );
}

function asText(destination: DestinationStream): DestinationStream {
  const coloured = (process.env["NO_COLOR"] ?? "") === "" && process.env["TERM"] !== "dumb";
  return { write: (line) => destination.write(logText(line, coloured)) };
}

/**
 * Opens a log file for appending, readable for its owner only. It stays open to the end of the process: a late line must
 * not land in another file that was given its number.
 */
export function openLogFile(path: string): number {
  const full = (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > maxFileBytes;
  return openSync(path, full ? "w" : "a", 0o600);
}
