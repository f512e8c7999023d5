import { percentile } from "../measuring/statistics.ts";
import type { Layout } from "./partitions.ts";
import { earliest, exponential } from "./queueing.ts";
import type { Organisation } from "./tenants.ts";

export interface SearchCosts {
  /** CPU seconds of a search in a table of any size: planning, second pass, merging. */
  readonly perTable: number;
  /** CPU seconds for each page of the table, whose codes are all compared. */
  readonly perPage: number;
  /** CPU seconds of a search besides its tables: the query's embedding, rows, links. */
  readonly perSearch: number;
}

export interface Fleet {
  /** Searches a second, all organisations together; an organisation searches in proportion to its pages. */
  readonly rate: number;
  readonly nodes: number;
  /** Cores of each node; a table is searched by one core. */
  readonly cores: number;
}

export interface FanOut {
  readonly p50: number;
  readonly p99: number;
  /** Tables that a search asks, on average. */
  readonly tables: number;
  /** CPU seconds of a search, on average. */
  readonly cpuSeconds: number;
  /** Requested CPU time by available CPU time: above 1 the searches pile up. */
  readonly utilisation: number;
}

/**
 * Simulates searches that arrive at random. Each asks all tables of its organisation at once. A table is always at the same node,
 * whose cores work first come, first served. A search ends with its last table.
 */
export function runSearches(
  { organisations, layout }: { readonly organisations: readonly Organisation[]; readonly layout: Layout },
  costs: SearchCosts,
  fleet: Fleet,
  { searches, random }: { readonly searches: number; readonly random: () => number },
): FanOut {
  const pick = weighted(organisations, random);
  const nodes = Array.from({ length: fleet.nodes }, () => new Float64Array(fleet.cores));
  const times: number[] = [];
  let now = 0;
  let asked = 0;
  let cpu = 0;
  for (let search = 0; search < searches; search++) {
    now += exponential(random, 1 / fleet.rate);
    let end = now;
    const tables = layout.ofOrganisation[pick()] ?? [];
    for (const table of tables) {
      const freeAt = nodes[table % fleet.nodes];
      if (freeAt === undefined) continue;
      const work = costs.perTable + costs.perPage * (layout.partitions[table]?.pages ?? 0);
      const core = earliest(freeAt);
      const done = Math.max(now, freeAt[core] ?? 0) + work;
      freeAt[core] = done;
      end = Math.max(end, done);
      cpu += work;
    }
    asked += tables.length;
    cpu += costs.perSearch;
    times.push(end - now + costs.perSearch);
  }
  return {
    p50: percentile(times, 0.5),
    p99: percentile(times, 0.99),
    tables: asked / searches,
    cpuSeconds: cpu / searches,
    utilisation: ((cpu / searches) * fleet.rate) / (fleet.nodes * fleet.cores),
  };
}

/** Returns a function that picks the index of an organisation with a probability in proportion to its pages. */
function weighted(organisations: readonly Organisation[], random: () => number): () => number {
  let sum = 0;
  const ends = organisations.map(({ pages }) => (sum += pages));
  return () => {
    const at = random() * sum;
    let [low, high] = [0, ends.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((ends[middle] ?? 0) > at) high = middle;
      else low = middle + 1;
    }
    return low;
  };
}
