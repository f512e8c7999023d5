/** Servers that work first come, first served (M/M/c): Poisson arrivals, exponential service times. */
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
 * Returns the share of arrivals that have to wait: Erlang's C formula, by the recursion of his B formula
 * (https://en.wikipedia.org/wiki/Erlang_(unit)#Erlang_C_formula). Returns 1 if more arrives than can be served.
 */
export function waitingPart(servers: Servers): number {
  const offered = servers.arrivals * servers.serviceSeconds;
  const used = utilisation(servers);
  if (used >= 1) return 1;
  let blocked = 1;
  for (let count = 1; count <= servers.count; count++) blocked = (offered * blocked) / (count + offered * blocked);
  return blocked / (1 - used * (1 - blocked));
}

/** Returns the mean time before service in seconds; `Infinity` if more arrives than can be served. */
export function meanWait(servers: Servers): number {
  const used = utilisation(servers);
  if (used >= 1) return Number.POSITIVE_INFINITY;
  return (waitingPart(servers) * servers.serviceSeconds) / (servers.count * (1 - used));
}

/** Returns the fewest servers whose mean wait is at most `maxWaitSeconds`. */
export function serversFor(load: Omit<Servers, "count">, maxWaitSeconds: number): number {
  let count = Math.max(1, Math.ceil(load.arrivals * load.serviceSeconds));
  while (meanWait({ ...load, count }) > maxWaitSeconds) count++;
  return count;
}

export interface Run {
  /** The wait of each arrival, seconds. */
  readonly waits: readonly number[];
  readonly times: readonly number[];
  /** Mean number of arrivals that wait or are served. */
  readonly inSystem: number;
  /** Seconds until the last arrival was served. */
  readonly seconds: number;
}

/** Returns an exponentially distributed number with this mean. */
export const exponential = (random: () => number, mean: number): number => -mean * Math.log(1 - random());

/** Simulates the same servers event by event. */
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

/** Returns the index of the smallest number. */
export function earliest(freeAt: Float64Array): number {
  let found = 0;
  for (let index = 1; index < freeAt.length; index++) {
    if ((freeAt[index] ?? 0) < (freeAt[found] ?? 0)) found = index;
  }
  return found;
}
