import type { FeatureEvidence } from "./explanation.ts";
import type { FeatureName } from "../../domain/ports/pack-ranking.ts";

/** What a feature is of: the page's own words unless its name says otherwise. */
export function partOfFeature(name: FeatureName): FeatureEvidence["of"] {
  if (name === "neighbours") return "neighbours";
  return name.startsWith("document") ? "document" : "page";
}
