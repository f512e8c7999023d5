import { readFilter } from "../../server/domain/filters/read.ts";
import type { WorkspaceId } from "../../server/domain/ids.ts";
import type { Metadata } from "../../server/domain/ports/metadata.ts";
import type { Report } from "../measuring/report.ts";
import { percentile } from "../measuring/statistics.ts";
import { measure, summary } from "../metadata/times.ts";
import { shares } from "./collection.ts";

const rounds = 100;
const limitMs = 20;

const others: readonly (readonly [what: string, filter: unknown])[] = [
  ["a value of many", { customer: 42 }],
  ["two fields", { customer: { $in: [1, 2, 3] }, year: { $gte: 2020 } }],
  ["a value of a list", { tags: "tag3", hundredth: 5 }],
  ["either of two", { $or: [{ customer: 42 }, { hundredth: 7 }] }],
  ["one and not another", { hundredth: 7, draft: { $ne: true } }],
];

/** Measures filtered lists, each many times: p50 and p99. */
export async function measureLists(metadata: Metadata, workspaceId: WorkspaceId, report: Report): Promise<void> {
  const rows = [];
  for (const [what, filter] of [...shares, ...others]) {
    const query = {
      workspaceId,
      types: [],
      sha256: [],
      filter: readFilter(filter),
      sort: [{ property: "createdAt", descending: true }] as const,
      offset: 0,
      limit: 10,
      now: Date.now(),
    };
    const { total } = await metadata.datasets.list(query);
    const times = await measure(() => metadata.datasets.list(query), rounds);
    rows.push({ ...summary(what, times), datasets: total });
    report.bar(`list by a filter, ${what}: p99`, percentile(times.wall, 0.99), limitMs, "ms");
  }
  report.table(`lists of datasets by filters, ${rounds} of each, one after another`, rows);
}
