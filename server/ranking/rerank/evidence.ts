import type { FusionGroup } from "../../domain/ports/pack-ranking.ts";
import { fuse, type Fused } from "../fuse/fusion.ts";
import type { Candidates } from "../retrieve/candidates.ts";
import { type Features, featuresOf, gainsOf } from "./gains.ts";
import type { Reading } from "./reading.ts";

/** What there is to say for pages, with what they say themselves; lists are by place. */
export interface Evidence extends Fused {
  /** Undefined: nothing was read. */
  readonly features: Features | undefined;
}

/** The evidence for each page: that of the spaces, and what it gains by what was read of it. */
export function evidenceOf(group: FusionGroup, found: Candidates, reading?: Reading): Evidence {
  const { sum, spaces, likeness } = fuse(group, found, reading);
  const { ranker } = group;
  if (ranker === undefined || reading === undefined) return { sum, spaces, likeness, features: undefined };
  const features = featuresOf(found, sum, reading);
  const gains = gainsOf(ranker.weights, features.values);
  for (const [row, place] of features.read.entries()) sum[place] = (sum[place] ?? 0) + (gains[row] ?? 0);
  return { sum, spaces, likeness, features };
}
