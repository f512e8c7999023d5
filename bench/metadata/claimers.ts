import { openMetadata } from "../../server/storage/metadata/open.ts";
import type { Report } from "../measuring/report.ts";
import { percentile } from "../measuring/statistics.ts";

const claimers = 8;
const claimsOfEach = 150;
const limitMs = 1000 / 300;
const leaseMs = 30_000;

/** Claims and ends jobs with several concurrent workers, each over its own connection, as worker processes do. */
export async function measureClaimers(url: string, report: Report): Promise<void> {
  const stores = await Promise.all(
    Array.from({ length: claimers }, () => openMetadata({ url, dataDir: "", connections: 2 })),
  );
  const claimMs: number[] = [];
  const claimed = new Set<string>();
  const since = performance.now();
  await Promise.all(
    stores.map(async (store, at) => {
      for (let round = 0; round < claimsOfEach; round++) {
        const before = performance.now();
        const claim = await store.jobs.claim(`worker-${at}`, leaseMs, Date.now());
        claimMs.push(performance.now() - before);
        if (claim === undefined) throw new Error("there is nothing to claim");
        if (claimed.has(claim.job.id)) throw new Error("a job was claimed twice");
        claimed.add(claim.job.id);
        await store.jobs.finish(claim.lease, { status: "SUCCESS", statusText: "" }, Date.now());
      }
    }),
  );
  const perSecond = claimed.size / ((performance.now() - since) / 1000);
  for (const store of stores) await store.close();
  report.table(`${claimers} workers that claim and end ${claimed.size} jobs`, [
    {
      what: "claim",
      "p50 ms": percentile(claimMs, 0.5),
      "p99 ms": percentile(claimMs, 0.99),
      "claims per second, each with its end": perSecond,
    },
  ]);
  // 300 claims a second.
  report.bar("time per claim and end", 1000 / perSecond, limitMs, "ms");
}
