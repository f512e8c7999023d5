import { openSync, statSync } from "node:fs";
import { isatty } from "node:tty";
import pino from "pino";
import type { DestinationStream, Logger } from "pino";
import type { LogLevel } from "../settings/settings.ts";
import { inspect, styleText } from "node:util";

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

const levels: ReadonlyMap<number, readonly [name: string, style: "red" | "yellow" | "green" | "gray"]> = new Map([
  [60, ["fatal", "red"]],
  [50, ["error", "red"]],
  [40, ["warn", "yellow"]],
  [30, ["info", "green"]],
  [20, ["debug", "gray"]],
  [10, ["trace", "gray"]],
]);

/**
 * Formats a line of the log for people: time of day, level, process, message, then the other fields, with an error's stack
 * below. A line that is no JSON object is unchanged. Control characters are replaced, because a field may contain what a
 * caller has sent, and a terminal would execute them.
 */
export function logText(line: string, coloured: boolean): string {
  const entry = entryOf(line);
  if (entry === undefined) return line;
  const { level, time, process, msg, err, ...fields } = entry;
  const paint = (style: Parameters<typeof styleText>[0], text: string): string =>
    coloured ? styleText(style, text, { validateStream: false }) : text;
  const [name, style] = levels.get(Number(level)) ?? ["", "gray"];
  const { stack, ...failure } = isObject(err) ? err : { stack: undefined };
  const others = Object.entries({ ...fields, ...(stack === undefined ? failure : {}) });
  const parts = [
    paint("gray", clock(Number(time))),
    paint(style, name.padEnd(5)),
    paint("gray", plain(textOf(process)).padEnd(10)),
    plain(textOf(msg)),
    ...others.map(([key, value]) => paint("gray", `${plain(key)}=${plain(textOf(value))}`)),
  ];
  const below = typeof stack === "string" ? stack.split("\n").map((text) => `    ${plain(text)}`) : [];
  return `${[parts.join(" ").trimEnd(), ...below].join("\n")}\n`;
}

function entryOf(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function textOf(value: unknown): string {
  if (value === undefined) return "";
  return typeof value === "string" ? value : inspect(value, { breakLength: Number.POSITIVE_INFINITY, compact: true });
}

/** The time of day in the machine's time zone. */
function clock(ms: number): string {
  const at = new Date(ms);
  return [at.getHours(), at.getMinutes(), at.getSeconds()].map((part) => String(part).padStart(2, "0")).join(":");
}

function plain(text: string): string {
  return text.replaceAll(/\p{Cc}|\p{Cf}/gu, "?");
}
