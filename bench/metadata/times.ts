import type { Row } from "../measuring/report.ts";
import { percentile } from "../measuring/statistics.ts";

/** Milliseconds of each call. On a shared machine, the thread's CPU time shows what the call itself took. */
export interface Times {
  readonly wall: readonly number[];
  readonly cpu: readonly number[];
}

/** Measures calls one after another, so that each time is also how long the event loop was blocked. */
export async function measure(call: () => Promise<unknown>, rounds: number): Promise<Times> {
  const wall: number[] = [];
  const cpu: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const before = cpuMs();
    const since = performance.now();
    await call();
    wall.push(performance.now() - since);
    cpu.push(cpuMs() - before);
  }
  return { wall, cpu };
}

export function summary(what: string, { wall, cpu }: Times): Row {
  return {
    what,
    "p50 ms": percentile(wall, 0.5),
    "p99 ms": percentile(wall, 0.99),
    "CPU p50 ms": percentile(cpu, 0.5),
    "CPU p99 ms": percentile(cpu, 0.99),
  };
}

/** Returns the CPU time of this thread so far. */
export function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
