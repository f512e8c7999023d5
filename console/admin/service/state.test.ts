import { expect, test } from "vitest";
import { pagesPerSecond, parseState, addState, type History, type State, sum } from "./state.ts";

const at = (ms: number, pages: number): State => ({
  at: ms,
  metrics: [
    { name: "drs_pages_total", labels: { stage: "read", result: "succeeded" }, value: pages },
    { name: "drs_pages_total", labels: { stage: "embed", result: "succeeded" }, value: 7 },
  ],
  jobs: [],
  readiness: { ready: true, checks: { metadata: "ok" } },
});

test("the speed is what was read between two states, and unknown after a restart", () => {
  expect(pagesPerSecond(at(4_000, 30), at(2_000, 10))).toBe(10);
  expect(pagesPerSecond(at(4_000, 3), at(2_000, 10))).toBeUndefined();
  expect(pagesPerSecond(at(2_000, 10), at(2_000, 10))).toBeUndefined();
});

test("sums go over all labels that are not named", () => {
  expect(sum(at(0, 3), "drs_pages_total")).toBe(10);
  expect(sum(at(0, 3), "drs_pages_total", { stage: "embed" })).toBe(7);
  expect(sum(at(0, 3), "drs_unknown")).toBe(0);
});

test("an answer of another version is none", () => {
  expect(parseState(at(1, 2))).toEqual(at(1, 2));
  for (const other of [null, {}, { at: 1, metrics: {}, jobs: [] }, { at: 1, metrics: [], jobs: [{ id: "job_1" }] }]) {
    expect(parseState(other)).toBeUndefined();
  }
});

const queueAt = (ms: number, pages: number): State => ({
  at: ms,
  metrics: [
    { name: "drs_pages_total", labels: { stage: "read" }, value: pages },
    { name: "drs_queue_jobs", labels: {}, value: 3 },
  ],
  jobs: [],
  readiness: { ready: true, checks: {} },
});

test("what is drawn begins with the second state, leaves out a restart, and is bounded", () => {
  const first = addState(queueAt(0, 100), undefined);
  expect(first.samples).toEqual([]);
  const second = addState(queueAt(2_000, 110), first);
  expect(second.samples).toEqual([{ at: 2_000, pagesPerSecond: 5, jobs: 3 }]);
  const restarted = addState(queueAt(4_000, 0), second);
  expect(restarted.samples).toEqual(second.samples);
  let seen: History = restarted;
  for (let step = 1; step < 100; step += 1) seen = addState(queueAt(4_000 + step * 2_000, step), seen);
  expect([seen.samples.length, seen.samples.at(-1)?.at]).toEqual([60, 202_000]);
});
