/** Servers that take what comes in the order in which it came (M/M/c): Poisson arrivals, exponential service times. */
export interface Servers {
  readonly count: number;
  /** Per second. */
  readonly arrivals: number;
  /** Mean, seconds. */
  readonly serviceSeconds: number;
}

export const utilisation = ({ count, arrivals, serviceSeconds }: Servers): number =>
  (arrivals * serviceSeconds) / count;

/**
 * The part of arrivals that have to wait: Erlang's C formula, by the recursion of his B formula
 * (https://en.wikipedia.org/wiki/Erlang_(unit)#Erlang_C_formula). 1 where more comes than can be served.
 */
export function waitingPart(servers: Servers): number {
  const offered = servers.arrivals * servers.serviceSeconds;
  const used = utilisation(servers);
  if (used >= 1) return 1;
  let blocked = 1;
  for (let count = 1; count <= servers.count; count++) blocked = (offered * blocked) / (count + offered * blocked);
  return blocked / (1 - used * (1 - blocked));
}

/** Mean time before service, seconds; `Infinity` where more comes than can be served. */
export function meanWait(servers: Servers): number {
  const used = utilisation(servers);
  if (used >= 1) return Number.POSITIVE_INFINITY;
  return (waitingPart(servers) * servers.serviceSeconds) / (servers.count * (1 - used));
}

/** The fewest servers whose mean wait is at most so long, seconds. */
export function serversFor(load: Omit<Servers, "count">, maxWaitSeconds: number): number {
  let count = Math.max(1, Math.ceil(load.arrivals * load.serviceSeconds));
  while (meanWait({ ...load, count }) > maxWaitSeconds) count++;
  return count;
}

export interface Run {
  /** Of each arrival, seconds. */
  readonly waits: readonly number[];
  readonly times: readonly number[];
  /** Mean number of arrivals that wait or are served. */
  readonly inSystem: number;
  /** How long it took until the last one was served, seconds. */
  readonly seconds: number;
}

/** Exponentially distributed, of the mean. */
export const exponential = (random: () => number, mean: number): number => -mean * Math.log(1 - random());

/** The same servers, event by event. */
export function runServers({ count, arrivals, serviceSeconds }: Servers, total: number, random: () => number): Run {
  const freeAt = new Float64Array(count);
  const waits: number[] = [];
  const times: number[] = [];
  let now = 0;
  let last = 0;
  let area = 0;
  for (let index = 0; index < total; index++) {
    now += exponential(random, 1 / arrivals);
    const server = earliest(freeAt);
    const start = Math.max(now, freeAt[server] ?? 0);
    const end = start + exponential(random, serviceSeconds);
    freeAt[server] = end;
    waits.push(start - now);
    times.push(end - now);
    area += end - now;
    last = Math.max(last, end);
  }
  return { waits, times, inSystem: area / last, seconds: last };
}

/** The place of the smallest number. */
export function earliest(freeAt: Float64Array): number {
  let found = 0;
  for (let index = 1; index < freeAt.length; index++) {
    if ((freeAt[index] ?? 0) < (freeAt[found] ?? 0)) found = index;
  }
  return found;
}
