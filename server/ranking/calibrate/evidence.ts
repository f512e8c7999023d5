import type { FusionGroup } from "../../domain/ports/pack-ranking.ts";
import { type Evidence, evidenceOf } from "../rerank/gains.ts";
import type { Reading } from "../rerank/reading.ts";
import type { Candidates } from "../retrieve/candidates.ts";
import { scaleOf } from "./odds.ts";

/** The evidence of all stages; `sum` includes the gain of the pages that the question names. */
export interface TotalEvidence extends Evidence {
  /** The gain of each page that the question names; 0 if it names none. */
  readonly named: number;
}

export function totalEvidence(group: FusionGroup, found: Candidates, reading?: Reading): TotalEvidence {
  const evidence = evidenceOf(group, found, reading);
  const { sum } = evidence;
  const named = gainOfNamed(group, found.named, sum);
  for (const place of found.named) sum[place] = (sum[place] ?? 0) + named;
  return { ...evidence, named };
}

/** The log-odds by which a named page exceeds every page that is not named. */
const leadOfNamed = 2;

/** Returns the evidence to add to named pages, so that they precede all others, in the order of their other evidence. */
function gainOfNamed({ odds }: FusionGroup, named: ReadonlySet<number>, sum: Float64Array): number {
  const worst = Math.min(...Array.from(named, (place) => sum[place] ?? 0));
  const best = sum.reduce((most, value, place) => (named.has(place) ? most : Math.max(most, value)), -Infinity);
  return named.size === 0 || best === -Infinity ? 0 : Math.max(0, best - worst + leadOfNamed / scaleOf(odds));
}
