import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { watchOwnMemory } from "./watch.ts";

const pace = { lookMs: 1_000, looks: 5, renewedMs: 60_000 };

let held: number;
let renewals: number;
let outgrown: number[];
let stop: () => void;

beforeEach(() => {
  vi.useFakeTimers();
  [held, renewals, outgrown] = [100, 0, []];
  stop = watchOwnMemory({
    ...pace,
    maxBytes: 1_000,
    rss: () => held,
    renew: async () => void (renewals += 1),
    onOutgrown: (bytes) => void outgrown.push(bytes),
  });
});
afterEach(() => {
  stop();
  vi.useRealTimers();
});

test("memory that is held for a moment is ignored", async () => {
  for (let times = 0; times < 10; times += 1) {
    held = 2_000;
    await vi.advanceTimersByTimeAsync(4_000);
    held = 900;
    await vi.advanceTimersByTimeAsync(1_000);
  }
  expect([renewals, outgrown]).toEqual([0, []]);
});

test("threads are renewed first, which may be enough", async () => {
  held = 2_000;
  await vi.advanceTimersByTimeAsync(5_000);
  expect([renewals, outgrown]).toEqual([1, []]);
  held = 900;
  await vi.advanceTimersByTimeAsync(60_000);
  expect([renewals, outgrown]).toEqual([1, []]);
});

test("memory that stays after that is reported again and again", async () => {
  held = 2_000;
  await vi.advanceTimersByTimeAsync(15_000);
  expect([renewals, outgrown]).toEqual([1, [2_000, 2_000]]);
});
