import { inspect, styleText } from "node:util";

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
