import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import type { RowGarbage } from "../../server/domain/ports/garbage.ts";
import type { Lease } from "../../server/domain/ports/jobs.ts";
import type { Metadata } from "../../server/domain/ports/metadata.ts";
import { openMetadata } from "../../server/storage/metadata/open.ts";
import type { Stock } from "../../test/fixtures/metadata-stock.ts";
import { makeEvent } from "../../test/stores/testing/records.ts";
import type { Report } from "../measuring/report.ts";
import { percentile } from "../measuring/statistics.ts";
import { cpuMs, measure, summary, type Times } from "./times.ts";

const claims = 200;
const atWork = 8;
const limitMs = { claim: 5, stall: 50 };

/** Measures claims, and the longest time that single writes block the event loop. */
export async function measureWrites(store: Metadata, stock: Stock, now: number, report: Report): Promise<void> {
  const { workspaceId, deleted, upload, organisationId } = stock;
  const times = await measureClaims(store, now);
  report.table(`claims, ${claims} one after another`, [summary("claim", times)]);
  report.bar("claim: p50", percentile(times.wall, 0.5), limitMs.claim, "ms");
  const acts: Readonly<Record<string, () => Promise<unknown>>> = {
    "jobs seen by a worker": () => store.jobs.markSeen(now),
    "delete a dataset of 100,000 pages": () =>
      store.datasets.delete(workspaceId, deleted, now, makeEvent({ organisationId })),
    "remove its rows, as the worker does": () => removeAll(store, { kind: "rows", key: deleted }, now),
    "abort an upload of 10,000 parts": () => store.uploads.abort(workspaceId, upload, now),
    "remove its parts": () => removeAll(store, { kind: "parts", key: upload }, now),
    "progress of a change of packs": () => store.packs.progress(organisationId),
    "page numbers of a dataset": () => store.pages.readable(stock.read),
  };
  const rows = [];
  for (const [what, act] of Object.entries(acts)) {
    const { seconds, cpu, longest } = await stallOf(act);
    rows.push({ what, "s in all": seconds, "CPU s": cpu, "longest stall ms": longest });
    report.bar(`${what}: longest stall`, longest, limitMs.stall, "ms");
  }
  report.table("the event loop", rows);
}

/** Measures claims with as many running jobs as a worker has threads; the others are done. */
async function measureClaims(store: Metadata, now: number): Promise<Times> {
  const held: Lease[] = [];
  const claim = async (): Promise<void> => {
    const claimed = await store.jobs.claim("bench", 30_000, now);
    if (claimed === undefined) throw new Error("there is nothing to claim");
    held.push(claimed.lease);
  };
  const wallOfAll: number[] = [];
  const cpuOfAll: number[] = [];
  for (let round = 0; round < claims; round++) {
    const { wall, cpu } = await measure(claim, 1);
    wallOfAll.push(...wall);
    cpuOfAll.push(...cpu);
    const done = held.length > atWork ? held.shift() : undefined;
    if (done !== undefined) await store.jobs.finish(done, { status: "SUCCESS", statusText: "" }, now);
  }
  return { wall: wallOfAll, cpu: cpuOfAll };
}

/** Removes rows batch by batch, with pauses for other writers. */
async function removeAll(store: Metadata, garbage: RowGarbage, now: number): Promise<void> {
  while (!(await store.garbage.removeRows(garbage, now))) await sleep(5);
}

/** Returns the longest time that the work has blocked the event loop. */
async function stallOf(work: () => Promise<unknown>): Promise<{ seconds: number; cpu: number; longest: number }> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  // It measures from one tick to the next; the first one starts the measurement.
  await sleep(20);
  const [since, before] = [performance.now(), cpuMs()];
  await work();
  const seconds = (performance.now() - since) / 1000;
  const cpu = (cpuMs() - before) / 1000;
  await sleep(20);
  delay.disable();
  return { seconds, cpu, longest: delay.max / 1e6 };
}

const claimers = 8;
const claimsOfEach = 150;
/** 300 claims a second. */
const maxClaimMs = 1000 / 300;
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
  report.bar("time per claim and end", 1000 / perSecond, maxClaimMs, "ms");
}
