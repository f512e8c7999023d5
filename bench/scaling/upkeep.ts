/** What a round of maintenance of a table takes: so much, and more for each of its pages and for each that has been added. */
export interface UpkeepCosts {
  readonly cpuSeconds: RoundCost;
  readonly writtenBytes: RoundCost;
}

export interface RoundCost {
  readonly perRound: number;
  /** Indices are written again whole. */
  readonly perPage: number;
  readonly perAdded: number;
}

export interface Schedule {
  /** From the begin of a round to that of the next, at least, seconds. */
  readonly intervalSeconds: number;
  /** A round waits until so large a part of the table's pages has been added; 0: it does not. */
  readonly minAdded: number;
}

export interface Upkeep {
  readonly rounds: number;
  readonly cpuSeconds: number;
  readonly writtenBytes: number;
  /** Of the last rounds, which are the longest; by one core. */
  readonly longestSeconds: number;
  /** Part of the time in which a round is under way. */
  readonly busy: number;
  /** That have been through a round. */
  readonly pages: number;
}

/** A table that grows at a steady rate, and its rounds, one after another. */
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
    // What comes meanwhile waits for the next one.
    now += Math.max(0, seconds - intervalSeconds);
  }
  return { rounds, cpuSeconds, writtenBytes, longestSeconds, busy: Math.min(1, cpuSeconds / now), pages: done };
}

export const costOf = ({ perRound, perPage, perAdded }: RoundCost, pages: number, added: number): number =>
  perRound + perPage * pages + perAdded * added;
