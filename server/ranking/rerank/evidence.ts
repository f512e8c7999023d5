import type { FusionGroup } from "../../domain/ports/pack-ranking.ts";
import { fuse, type Fused } from "../fuse/fusion.ts";
import type { Candidates } from "../retrieve/candidates.ts";
import { type Features, featuresOf, gainsOf } from "./gains.ts";
import type { Reading } from "./reading.ts";

/** The combined evidence for pages, with the features of the pages that were read; lists are by place. */
export interface Evidence extends Fused {
  /** Undefined if no page was read. */
  readonly features: Features | undefined;
}

/** The evidence for each page: the evidence of the spaces, and the contribution of its features if it was read. */
export function evidenceOf(group: FusionGroup, found: Candidates, reading?: Reading): Evidence {
  const { sum, spaces, likeness } = fuse(group, found, reading);
  const { ranker } = group;
  if (ranker === undefined || reading === undefined) return { sum, spaces, likeness, features: undefined };
  const features = featuresOf(found, sum, reading);
  const gains = gainsOf(ranker.weights, features.values);
  for (const [row, place] of features.read.entries()) sum[place] = (sum[place] ?? 0) + (gains[row] ?? 0);
  return { sum, spaces, likeness, features };
}
