import type { SpanFacts } from "../domain/ports/tracing.ts";

/** Names of span attributes by fact. A fact without a name here is not recorded. */
const names: { readonly [Fact in keyof Required<SpanFacts>]: string } = {
  workspaceId: "drs.workspace.id",
  datasetId: "drs.dataset.id",
  jobId: "drs.job.id",
  page: "drs.page",
  row: "drs.item.row",
  pages: "drs.pages",
  failedPages: "drs.pages.failed",
  unshownPages: "drs.pages.unshown",
  pack: "drs.model.pack",
  attempt: "drs.job.attempt",
  waitedMs: "drs.job.waited_ms",
  outcome: "drs.job.outcome",
  // From OpenTelemetry's conventions.
  reason: "error.type",
};

const isFact = (name: string): name is keyof SpanFacts => name in names;

export function attributesOf(facts: SpanFacts): Record<string, string | number> {
  const attributes: Record<string, string | number> = {};
  for (const fact of Object.keys(facts).filter(isFact)) {
    const value = facts[fact];
    if (value !== undefined) attributes[names[fact]] = value;
  }
  return attributes;
}
