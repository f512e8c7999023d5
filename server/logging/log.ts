import { openSync, statSync } from "node:fs";
import { isatty } from "node:tty";
import pino, { type DestinationStream, type Logger } from "pino";
import type { LogLevel } from "../settings/settings.ts";
import { logText } from "./log-text.ts";

/** The size at which a log file starts again, because nothing else rotates the logs of commands. */
const maxFileBytes = 2 ** 20;

/** Maximum bytes in memory while a log cannot be written. */
const maxUnwrittenBytes = 2 ** 18;

/**
 * Creates the log, on stderr by default, because stdout belongs to the output of commands. Lines are text on a terminal, and
 * JSON objects everywhere else.
 */
export function createLog(level: LogLevel, process: "api" | "worker" | "supervisor", fd = 2): Logger {
  const destination = pino.destination({ fd, sync: true, maxLength: maxUnwrittenBytes });
  // Without a listener a full disk would end the process. Lines that cannot be written wait, and are dropped if there are too many.
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
 * Opens a log file for appending, readable only by its owner. It stays open until the end of the process, because a late
 * line must not be written to another file that got the same descriptor.
 */
export function openLogFile(path: string): number {
  const full = (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > maxFileBytes;
  return openSync(path, full ? "w" : "a", 0o600);
}
