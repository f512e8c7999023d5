import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
} from "@opentelemetry/sdk-trace";
import type { SamplerSettings } from "./settings.ts";

/** Decides which traces are kept. */
export function createSampler({ kind, ratio, isParentBased }: SamplerSettings): Sampler {
  const root = rootSampler(kind, ratio);
  return isParentBased ? new ParentBasedSampler({ root }) : root;
}

function rootSampler(kind: SamplerSettings["kind"], ratio: number): Sampler {
  switch (kind) {
    case "always_on":
      return new AlwaysOnSampler();
    case "always_off":
      return new AlwaysOffSampler();
    case "traceidratio":
      return new TraceIdRatioBasedSampler(ratio);
  }
}
