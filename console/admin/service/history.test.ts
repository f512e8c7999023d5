import { expect, test } from "vitest";
import { see, type Seen } from "./history.ts";
import type { State } from "./state.ts";

const at = (ms: number, pages: number): State => ({
  at: ms,
  metrics: [
    { name: "drs_pages_total", labels: { stage: "read" }, value: pages },
    { name: "drs_queue_jobs", labels: {}, value: 3 },
  ],
  jobs: [],
  readiness: { ready: true, checks: {} },
});

test("what is drawn begins with the second state, leaves out a restart, and is bounded", () => {
  const first = see(at(0, 100), undefined);
  expect(first.samples).toEqual([]);
  const second = see(at(2_000, 110), first);
  expect(second.samples).toEqual([{ at: 2_000, pagesPerSecond: 5, jobs: 3 }]);
  const restarted = see(at(4_000, 0), second);
  expect(restarted.samples).toEqual(second.samples);
  let seen: Seen = restarted;
  for (let step = 1; step < 100; step += 1) seen = see(at(4_000 + step * 2_000, step), seen);
  expect([seen.samples.length, seen.samples.at(-1)?.at]).toEqual([60, 202_000]);
});
