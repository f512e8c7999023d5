import { expect, test } from "vitest";
import { pagesPerSecond, parseState, type State, sum } from "./state.ts";

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
