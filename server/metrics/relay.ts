import type { Counts, Meter, Times } from "../domain/ports/meter.ts";

/** Measurements since the last report, sent from process to process. */
export interface Measured {
  readonly counted: readonly Counted[];
  readonly timed: readonly Timed[];
}

interface Counted {
  readonly name: keyof Counts;
  readonly labels: Counts[keyof Counts];
  by: number;
}

interface Timed {
  readonly name: keyof Times;
  readonly labels: Times[keyof Times];
  readonly seconds: number[];
}

export interface Relay extends Meter {
  /** Sends everything that has not been sent. */
  flush(): void;
  /** Flushes for the last time. */
  close(): void;
}

const defaultReportMs = 1_000;
/** Maximum number of times that wait for the next report, some 100 KB: a busier process reports earlier. */
const maxTimes = 5_000;

/**
 * The meter of a process that reports through another one: it collects, and sends sums and times every second if
 * there are any.
 */
export function createRelay(send: (measured: Measured) => void, reportMs = defaultReportMs): Relay {
  let counted = new Map<string, Counted>();
  let timed = new Map<string, Timed>();
  let times = 0;

  function flush(): void {
    if (counted.size === 0 && timed.size === 0) return;
    const measured = { counted: [...counted.values()], timed: [...timed.values()] };
    counted = new Map();
    timed = new Map();
    times = 0;
    send(measured);
  }
  const timer = setInterval(flush, reportMs);
  timer.unref();

  return {
    count(name, labels, by = 1) {
      const key = keyOf(name, labels);
      const entry = counted.get(key);
      if (entry === undefined) counted.set(key, { name, labels, by });
      else entry.by += by;
    },
    time(name, labels, seconds) {
      const key = keyOf(name, labels);
      const entry = timed.get(key);
      if (entry === undefined) timed.set(key, { name, labels, seconds: [seconds] });
      else entry.seconds.push(seconds);
      times += 1;
      if (times >= maxTimes) flush();
    },
    flush,
    close() {
      clearInterval(timer);
      flush();
    },
  };
}

/** Records the measurements of another process. */
export function enterMeasured(meter: Meter, { counted, timed }: Measured): void {
  for (const { name, labels, by } of counted) meter.count(name, labels, by);
  for (const { name, labels, seconds } of timed) for (const value of seconds) meter.time(name, labels, value);
}

const keyOf = (name: string, labels: object): string => JSON.stringify([name, labels]);
