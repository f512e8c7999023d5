/** The costs of maintaining a table. */
export interface UpkeepCosts {
  readonly cpuSeconds: RoundCost;
  readonly writtenBytes: RoundCost;
}

export interface RoundCost {
  readonly perRound: number;
  /** The cost for each page of the table, because indices are rewritten as a whole. */
  readonly perPage: number;
  readonly perAdded: number;
}

export interface Schedule {
  /** The minimum time from the start of a round to the next, seconds. */
  readonly intervalSeconds: number;
  /** The share of the table's pages that must be added before a round; 0 for no such wait. */
  readonly minAdded: number;
}

export interface Upkeep {
  readonly rounds: number;
  readonly cpuSeconds: number;
  readonly writtenBytes: number;
  /** The duration of the longest round, which is the last, on one core. */
  readonly longestSeconds: number;
  /** The share of the time in which a round is running. */
  readonly busy: number;
  /** Pages that a round has indexed. */
  readonly pages: number;
}

/** Simulates a table that grows at a steady rate, and its rounds. */
export function runUpkeep(
  { pages, pagesPerSecond }: { readonly pages: number; readonly pagesPerSecond: number },
  costs: UpkeepCosts,
  { intervalSeconds, minAdded }: Schedule,
): Upkeep {
  let [now, done, rounds, cpuSeconds, writtenBytes, longestSeconds] = [0, 0, 0, 0, 0, 0];
  while (done < pages) {
    now += intervalSeconds;
    const there = Math.min(pages, Math.floor(now * pagesPerSecond));
    const added = there - done;
    if (added === 0 || (added < minAdded * there && there < pages)) continue;
    const seconds = costOf(costs.cpuSeconds, there, added);
    rounds += 1;
    cpuSeconds += seconds;
    writtenBytes += costOf(costs.writtenBytes, there, added);
    longestSeconds = Math.max(longestSeconds, seconds);
    done = there;
    // Pages added meanwhile wait for the next round.
    now += Math.max(0, seconds - intervalSeconds);
  }
  return { rounds, cpuSeconds, writtenBytes, longestSeconds, busy: Math.min(1, cpuSeconds / now), pages: done };
}

export const costOf = ({ perRound, perPage, perAdded }: RoundCost, pages: number, added: number): number =>
  perRound + perPage * pages + perAdded * added;
