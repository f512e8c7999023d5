import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { hasTool } from "../../test/service/tools.ts";
import { peakRssMb } from "./processes.ts";

/** The cost of a program from start to end, milliseconds. */
export interface Cost {
  readonly wallMs: number;
  /** User and system. */
  readonly cpuMs: number;
}

/** Runs a program and returns its cost as bash's `time` does. Throws if it fails. */
export async function timeCommand(
  [program = "", ...args]: readonly string[],
  { succeeds = [0] }: { succeeds?: readonly number[] } = {},
): Promise<Cost> {
  const script = 'TIMEFORMAT="%3R %3U %3S"; time "$@" >/dev/null 2>/dev/null';
  const child = spawn("bash", ["-c", script, "bash", program, ...args], {
    stdio: ["ignore", "ignore", "pipe"],
    env: { ...process.env, LC_ALL: "C" },
  });
  const [told, [code]] = await Promise.all([text(child.stderr), once(child, "close")]);
  if (!succeeds.includes(Number(code))) throw new Error(`${program} ended with ${code}: ${args.join(" ")}`);
  const [wall = Number.NaN, user = Number.NaN, system = Number.NaN] = told.trim().split(" ").map(Number);
  return { wallMs: wall * 1000, cpuMs: (user + system) * 1000 };
}

/** Runs a program and returns its peak memory in MB, sampled every few milliseconds. */
export async function peakMemoryOf([program = "", ...args]: readonly string[]): Promise<number> {
  const child = spawn(program, args, { stdio: "ignore" });
  const closed = once(child, "close");
  const { pid } = child;
  let peak = 0;
  const timer = setInterval(() => {
    if (pid !== undefined && child.exitCode === null) peak = Math.max(peak, peakRssMb(pid));
  }, 5);
  const [code] = await closed;
  clearInterval(timer);
  if (code !== 0) throw new Error(`${program} ended with ${code}: ${args.join(" ")}`);
  return peak;
}

/** Returns the sum of costs that follow one another. */
export function sumOf(costs: readonly Cost[]): Cost {
  return {
    wallMs: costs.reduce((sum, { wallMs }) => sum + wallMs, 0),
    cpuMs: costs.reduce((sum, { cpuMs }) => sum + cpuMs, 0),
  };
}

/** Returns a sentence that names missing programs; undefined if all are installed. */
export function missingTools(...names: readonly string[]): string | undefined {
  const missing = names.filter((name) => !hasTool(name));
  return missing.length === 0 ? undefined : `not installed: ${missing.join(", ")}`;
}
