import { expect, test } from "vitest";
import { createMeter, type UploadProgress } from "./progress.ts";

function metered(totalBytes: number | undefined) {
  let time = 0;
  const seen: UploadProgress[] = [];
  const meter = createMeter({ totalBytes, onProgress: (progress) => seen.push(progress), now: () => time });
  return { meter, seen, last: () => seen.at(-1), at: (ms: number) => (time = ms) };
}

test("rate and remaining time come from what was sent", () => {
  const { meter, last, at } = metered(10_000);
  at(1_000);
  meter.sending(1, 1_000);
  expect(last()).toEqual({ sentBytes: 1_000, totalBytes: 10_000, bytesPerSecond: 1_000, remainingMs: 9_000 });
  at(2_000);
  meter.sending(2, 2_000);
  expect(last()).toEqual({ sentBytes: 3_000, totalBytes: 10_000, bytesPerSecond: 1_500, remainingMs: 7_000 / 1.5 });
});

test("the rate is that of the last ten seconds", () => {
  const { meter, last, at } = metered(undefined);
  at(1_000);
  meter.sending(1, 1_000_000);
  for (let second = 2; second <= 20; second += 1) {
    at(second * 1_000);
    meter.sending(1, 1_000_000 + (second - 1) * 100);
  }
  expect(last()?.bytesPerSecond).toBeCloseTo(100);
});

test("what need not be sent again counts, but not towards the rate", () => {
  const { meter, last, at } = metered(10_000);
  meter.found(5_000);
  at(1_000);
  meter.sending(2, 1_000);
  expect(last()).toMatchObject({ sentBytes: 6_000, bytesPerSecond: 1_000, remainingMs: 4_000 });
});

test("never goes back when a part begins anew", () => {
  const { meter, last, at } = metered(10_000);
  at(100);
  meter.sending(1, 4_000);
  at(200);
  meter.sending(1, 0);
  expect(last()?.sentBytes).toBe(4_000);
  at(300);
  meter.sending(1, 5_000);
  expect(last()?.sentBytes).toBe(5_000);
  at(400);
  meter.arrived(1, 5_000);
  expect(last()?.sentBytes).toBe(5_000);
});

test("reports no more often than can be seen, and always the end", () => {
  const { meter, seen, last } = metered(undefined);
  for (let sent = 1; sent <= 100; sent += 1) meter.sending(1, sent);
  meter.arrived(1, 100);
  expect(seen).toHaveLength(1);
  meter.complete();
  expect(last()).toMatchObject({ sentBytes: 100, totalBytes: 100, remainingMs: 0 });
});
